def convoy(
    settings: bytes, steps: int, seeds: bytes
) -> (
    tuple[float, float, float, float, float, float, int, int, int, int, list[tuple[float, float]]] | None
): ...
