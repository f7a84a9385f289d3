"""Names beside points."""

import itertools

from qviz.figures.landscape_placer import Box, placed

FRAME = (800.0, 500.0)


def name(x, y):
    return Box(x, y, 80.0, 17.0)


def test_a_lone_name_stands_close_by():
    (spot,) = placed([name(400, 250)], [(400, 250)], FRAME)
    assert abs(spot.y - 250) < 40
    assert not spot.covers(400, 250)


def test_names_keep_off_each_other_and_off_all_points():
    crowd = [name(300 + 25 * (i % 4), 200 + 20 * (i // 4)) for i in range(12)]
    points = [(box.x, box.y) for box in crowd]
    spots = placed(crowd, points, FRAME)
    assert all(a.overlap(b) < 100 for a, b in itertools.combinations(spots, 2))
    covered = sum(spot.covers(*point) for spot in spots for point in points)
    assert covered <= 3


def test_names_stay_inside_the_frame():
    corners = [name(0, 0), name(800, 500), name(0, 500), name(800, 0)]
    for spot in placed(corners, [], FRAME):
        assert 40 <= spot.x <= 760
        assert 8 <= spot.y <= 492


def test_names_keep_off_places_that_are_taken():
    wall = Box(460.0, 250.0, 90.0, 200.0)
    (spot,) = placed([name(400, 250)], [(400, 250)], FRAME, [wall])
    assert spot.overlap(wall) == 0


def test_boxes_overlap_by_area():
    assert Box(0, 0, 10, 10).overlap(Box(5, 5, 10, 10)) == 25
    assert Box(0, 0, 10, 10).overlap(Box(20, 0, 10, 10)) == 0
    assert Box(0, 0, 10, 10).covers(13, 0)
    assert not Box(0, 0, 10, 10).covers(15, 0)
