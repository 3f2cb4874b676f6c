"""How users and robots prove who they are."""
