"""What once ended the interpreter is answered: by going on, or by an error that says what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.safety import crashes, refusals

ROOT = Path(__file__).parent.parent.parent


def said(script: str) -> list[str]:
    """Run a script in a process of its own and return the lines it wrote; it must end in an ordinary way."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout.splitlines()


def test_robots_under_way_are_let_go_at_the_end_of_the_process() -> None:
    """Their motions stop while Python unwinds their programs, and sensors hear of it."""
    assert said(crashes.SIXTY_ROBOTS) == ["over"]


def test_a_program_is_closed_inside_a_run_while_it_moves() -> None:
    assert said(crashes.CLOSED_INSIDE) == ["over"]


def test_listeners_are_called_while_a_pattern_has_failed() -> None:
    assert said(crashes.BROKEN_PATTERN) == ["over"]


def test_a_value_that_goes_finds_its_port_empty() -> None:
    assert said(crashes.BAG_READ_IN_DEL) == ["over"]


def test_a_sleep_that_is_never_resumed_does_not_point_to_its_task() -> None:
    """The sanitizer sees where it does."""
    assert said(crashes.DANGLING_SLEEP) == ["over"]


def test_a_run_that_something_brings_back_while_it_is_collected_has_no_programs() -> None:
    """The collector has closed them, in whatever order it came to the objects."""
    assert said(crashes.RUN_BROUGHT_BACK) == ["ran until 5.0", "over"]


def test_a_program_that_is_finalized_by_hand_is_not_resumed() -> None:
    """Nor is one closed in the midst of running."""
    assert said(crashes.FINALIZED_BY_HAND) == ["slept", "True True", "over"]


def test_what_the_collector_does_not_look_at_is_not_given_to_it() -> None:
    assert said(crashes.NO_COROUTINE) == ["over"]


def test_a_run_is_not_closed_from_inside() -> None:
    refused = "refused: this run is under way: it cannot be closed from inside itself"

    assert said(crashes.CLOSED_ENGINE) == [refused, "slept", "over"]


def test_a_task_is_no_model_that_is_taken_out_or_put_in() -> None:
    lines = said(crashes.TAKEN_OUT_TASK)

    assert [line.split(",")[0] for line in lines[:-1]] == ["refused: a model is needed"] * 3


def test_a_part_that_could_not_be_loaded_at_first_is_found_later() -> None:
    lines = said(crashes.WITHOUT_PARTS)

    assert lines[0].startswith("RuntimeError kumi._core has not been given Contact: import the part of kumi")
    assert lines[-1] == "over"


def test_a_model_does_not_stand_in_itself() -> None:
    lines = said(refusals.SELF_PARENT)

    assert lines[0] == "refused: model 'one' cannot stand in itself"
    assert lines[1].startswith("refused: a model of class kumi._core.Atomic stands in itself")


def test_values_do_not_go_round_in_a_circle_of_ports() -> None:
    """Nor by more ways than anybody can count."""
    lines = said(refusals.CIRCULAR_WIRING)

    assert lines == [
        f"refused: port 'outer.{name}' leads to its targets by more than 10000000 ways, or in a circle"
        for name in ("p0", "l0")
    ] + ["over"]


def test_a_stream_has_one_reader_however_it_is_awaited() -> None:
    lines = said(refusals.TWO_READERS)

    assert lines == ["refused: a stream has one reader; open another stream for another task"] * 3 + ["over"]


def test_a_deadline_of_a_run_that_is_over_is_not_listened_to() -> None:
    assert said(refusals.LATE_DEADLINE) == ["refused: at(1.0) belongs to another run", "over"]


def test_what_is_no_exception_is_not_raised() -> None:
    lines = said(refusals.NO_EXCEPTION)

    assert lines == ["refused: TypeError"] * 2 + ["refused: UnicodeEncodeError"] * 2 + ["over"]


def test_a_body_that_is_removed_while_it_is_removed_goes_once() -> None:
    assert said(refusals.SUDDEN_REMOVAL) == ["over"]


def test_numbers_of_any_size_are_computed_with_or_refused() -> None:
    assert said(refusals.EXTREME_NUMBERS)[-1] == "over"


def test_more_random_words_than_there_is_memory_are_refused() -> None:
    refused = "refused: at most 2^28 numbers are drawn at a time"

    assert said(refusals.MANY_WORDS) == [refused] * 4 + ["over"]


def test_what_another_part_sent_is_as_long_as_it_is_read() -> None:
    refused = "refused: a value of another part"

    assert said(refusals.SHORT_TUPLES) == [refused] * 8 + ["over"]


def test_a_robot_that_is_asked_may_add_to_its_team() -> None:
    """Neither is an array filled beyond its end nor a member read where it was."""
    assert said(refusals.GROWING_TEAM) == ["True"] * 6 + ["over"]


def test_an_array_that_is_constant_or_not_aligned_is_not_filled() -> None:
    """And robots however far apart are told by their distance."""
    assert said(refusals.TEAM_ARRAYS) == ["refused: BufferError", "refused: ValueError", "over"]


def test_a_ray_from_far_beyond_everything_ends() -> None:
    """And a picture of what is beyond all numbers is a picture."""
    assert said(refusals.FAR_RAYS) == ["over"]


def test_a_reading_that_would_spread_over_a_whole_city_is_refused() -> None:
    refused = "refused: a reading spreads over at most 100 000 cells, and not less than 0"

    assert said(refusals.WIDE_BEAMS) == [refused] * 4 + ["over"]


def test_cells_are_made_anew_at_the_instant_in_which_others_come_to_their_borders() -> None:
    """What a contact's listener adds and takes away does so: those who cross just then are in no cell any more."""
    assert said(crashes.CELLS_MADE_ANEW) == ["changed at 1.0", "1 contact"]


def test_an_instant_that_is_none_and_a_search_for_nobody_are_refused() -> None:
    run, step = "refused: a run goes on until an instant", "refused: a step is at an instant"
    assert said(refusals.NO_INSTANT) == [run, run, step, step, "refused: there is at least one robot", "over"]
