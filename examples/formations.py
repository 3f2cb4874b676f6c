"""Which reference keeps a diamond together best in a turn? `study()` without arguments drives all 36."""

from kumi.study.formations import study, table

for line in table(study(formations=["diamond"], courses=["turn"])):
    print(line)
