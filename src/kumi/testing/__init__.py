"""The kit for people who test models, programs and the kernel itself."""
