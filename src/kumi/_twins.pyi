def convoy(
    settings: bytes, steps: int, seeds: bytes, keeps_history: bool = False
) -> tuple[
    float,
    float,
    float,
    float,
    float,
    float,
    float,
    int,
    int,
    int,
    int,
    int,
    list[tuple[float, float, float]],
    bytes,
]: ...
