"""Graded tests of the tasks quantize.*; the expected numbers were worked out by hand."""

import numpy as np

from firstprinciples.grading.compare import expect


def test_memory__whole_numbers_of_bytes(task):
    memory = task("quantize.memory")
    expect(memory(700, 12, "float32"), 33600)
    expect(memory(700, 12, "float16"), 16800)
    expect(memory(700, 12, "int8"), 8400)


def test_memory__a_million_of_1024(task):
    memory = task("quantize.memory")
    expect(memory(1_000_000, 1024, "float32"), 4_096_000_000)
    expect(memory(1_000_000, 1024, "float16"), 2_048_000_000)
    expect(memory(1_000_000, 1024, "int8"), 1_024_000_000)
    expect(memory(1_000_000, 1024, "binary"), 128_000_000)


def test_memory__bits_come_in_whole_bytes(task):
    memory = task("quantize.memory")
    expect(memory(5, 24, "binary"), 15)
    expect(memory(7, 12, "binary"), 14)  # 12 bits take 2 bytes, in each row anew
    expect(memory(3, 17, "binary"), 9)


def test_memory__m_bytes_for_pq(task):
    memory = task("quantize.memory")
    expect(memory(300, 96, "pq", m=8), 2400)
    expect(memory(1_000_000, 1024, "pq", m=128), 128_000_000)
    expect(memory(50, 35, "pq", 5), 250)


def test_memory__nothing_takes_nothing(task):
    expect(task("quantize.memory")(0, 9, "binary"), 0)


def test_memory__what_there_is_not(task):
    memory = task("quantize.memory")
    memory.refuses(10, 16, "int4")
    memory.refuses(10, 0, "float32")
    memory.refuses(-1, 16, "int8")
    memory.refuses(10, 16, "pq")
    memory.refuses(10, 16, "pq", m=17)
    memory.refuses(10, 16, "pq", m=0)


# four vectors of three numbers
SAMPLE = [[0.5, -1.0, 0.25], [-0.75, 0.0, 0.875], [0.0, 0.625, 0.5], [0.25, -0.5, 1.5]]


def test_calibrate__each_dimension_has_its_own(task):
    calibrate = task("quantize.calibrate")
    expect(calibrate(SAMPLE), [[-0.75, -1.0, 0.25], [0.5, 0.625, 1.5]])
    expect(calibrate(np.array(SAMPLE).T), [[-1.0, -0.75, 0.0, -0.5], [0.5, 0.875, 0.625, 1.5]])


def test_calibrate__on_one_side_of_zero(task):
    expect(task("quantize.calibrate")(np.array([[1.25, -2.5], [1.75, -1.125], [1.5, -1.25]])),
           [[1.25, -2.5], [1.75, -1.125]])


def test_calibrate__two_vectors_and_a_constant_dimension(task):
    expect(task("quantize.calibrate")([[0.5, 0.25, -1.0, 0.0], [0.5, -0.75, 1.0, 0.125]]),
           [[0.5, -0.75, -1.0, 0.0], [0.5, 0.25, 1.0, 0.125]])


def test_calibrate__one_vector_is_too_few(task):
    calibrate = task("quantize.calibrate")
    calibrate.refuses([[0.5, -0.25, 1.0]])
    calibrate.refuses(np.zeros((0, 5)))
    calibrate.refuses(np.array([0.5, 0.25]))


# Three dimensions; a step is 2/255, 0.04 and 0.002
LOW, HIGH = [-1.0, 0.0, 2.0], [1.0, 10.2, 2.51]


def test_to_int8__rounded_to_the_nearest(task):
    # (0.7 + 1) / 2 * 255 = 216.75 -> 217 - 128; 7.11 / 0.04 = 177.75; 0.1007 / 0.002 = 50.35
    expect(task("quantize.to_int8")([[0.7, 7.11, 2.1007], [-0.3, 0.83, 2.3998]], LOW, HIGH),
           [[89, 50, -78], [-39, -107, 72]])


def test_to_int8__the_ends_of_the_ranges(task):
    expect(task("quantize.to_int8")(np.array([[-1.0, 10.2, 2.0], [1.0, 0.0, 2.51]]), np.array(LOW), np.array(HIGH)),
           [[-128, 127, -128], [127, -128, 127]])


def test_to_int8__what_lies_outside_gets_the_nearest_end(task):
    to_int8 = task("quantize.to_int8")
    expect(to_int8([[1.2, -0.9, 2.0501], [-1.3, 11.7, 2.9], [0.31, 4.13, -6.0], [40.0, -70.0, 2.6]], LOW, HIGH),
           [[127, -128, -103], [-128, 127, 127], [39, -25, -128], [127, -128, 127]])


def test_to_int8__ranges_are_those_of_the_calibration(task):
    # all of these lie near the middle of their ranges: a narrow batch makes no new ones
    expect(task("quantize.to_int8")([[0.1, 5.21, 2.2514], [-0.1, 5.41, 2.2586], [0.04, 5.29, 2.2566],
                                     [0.01, 5.31, 2.26]], LOW, HIGH),
           [[12, 2, -2], [-13, 7, 1], [5, 4, 0], [1, 5, 2]])


def test_to_int8__a_constant_dimension(task):
    expect(task("quantize.to_int8")([[0.25, 0.7], [0.25, -0.3], [0.25, 0.31]], [0.25, -1.0], [0.25, 1.0]),
           [[-128, 89], [-128, -39], [-128, 39]])


def test_to_int8__one_vector(task):
    expect(task("quantize.to_int8")(np.array([0.7, 0.83, 2.1007]), LOW, HIGH), [89, -107, -78])


def test_to_int8__widths_and_ends_that_do_not_fit(task):
    to_int8 = task("quantize.to_int8")
    to_int8.refuses([[0.1, 0.2]], LOW, HIGH)
    to_int8.refuses([[0.1, 0.2, 0.3, 0.4]], [0.0], [1.0])
    to_int8.refuses([[0.5, 0.5]], [0.0, 1.0], [1.0, 0.0])


CODES = [[-128, 127, 0], [-28, -103, 72]]  # 0, 255, 128 and 100, 25, 200 steps
NUMBERS = [[-1.0, 10.2, 2.256], [-1 + 200 / 255, 1.0, 2.4]]


def test_from_int8__so_many_steps_above_the_low_end(task):
    from_int8 = task("quantize.from_int8")
    expect(from_int8(CODES, LOW, HIGH), NUMBERS, least=1e-6)
    expect(from_int8(np.array(CODES, dtype=np.int8), np.array(LOW), np.array(HIGH)), NUMBERS, least=1e-6)


def test_from_int8__one_row(task):
    expect(task("quantize.from_int8")(np.array([-28, 72, -103], dtype=np.int8), LOW, HIGH),
           [-1 + 200 / 255, 8.0, 2.05], least=1e-6)


def test_from_int8__a_constant_dimension(task):
    expect(task("quantize.from_int8")([[-128, -28], [-128, 127], [-128, 0]], [0.25, -1.0], [0.25, 1.0]),
           [[0.25, -1 + 200 / 255], [0.25, 1.0], [0.25, -1 + 256 / 255]], least=1e-6)


def test_from_int8__two_widths(task):
    from_int8 = task("quantize.from_int8")
    from_int8.refuses([[1, 2]], LOW, HIGH)
    from_int8.refuses([[1, 2, 3, 4]], [0.0], [1.0])
    from_int8.refuses([[5, 6]], [0.0, 1.0], [1.0, 0.0])  # two widths are fine here, and one range is upside down


# three rows of eleven numbers: 1001 0110 101, 0110 1000 011, 1111 1111 000
SIGNS = np.array([[0.3, -0.1, -0.2, 0.2, -0.7, 0.1, 0.4, -0.2, 0.9, -0.4, 0.2],
                  [-0.3, 0.1, 0.2, -0.2, 0.7, -0.1, -0.4, -0.2, -0.9, 0.4, 0.2],
                  [0.3, 0.1, 0.2, 0.2, 0.7, 0.1, 0.4, 0.2, -0.9, -0.4, -0.2]])
PACKED = [[150, 160], [104, 96], [255, 0]]
BITS = np.array([*PACKED, [151, 32], [105, 95]], dtype=np.uint8)


def test_to_bits__eleven_numbers_in_two_bytes(task):
    to_bits = task("quantize.to_bits")
    expect(to_bits([[0.3, -0.1, 0.2, 0.4, -0.7]]), [[176]])  # 1011 0000
    expect(to_bits(SIGNS), PACKED)
    expect(to_bits(SIGNS[:1].tolist()), PACKED[:1])


def test_to_bits__whole_bytes(task):
    expect(task("quantize.to_bits")(SIGNS[:2, :8] * 5), [[150], [104]])


def test_to_bits__zero_is_not_above_zero(task):
    expect(task("quantize.to_bits")([[0.0, 0.5, 0.0, -0.5, 0.0], [0.0, 0.0, 0.0, 0.0, 1e-9]]), [[64], [8]])


def test_to_bits__all_on_one_side(task):
    expect(task("quantize.to_bits")([[0.1, 0.2, 0.3, 0.9], [-0.1, -0.2, -0.3, -0.9], [0.5, 0.5, 0.5, 0.6]]),
           [[240], [0], [240]])


def test_to_bits__one_vector(task):
    expect(task("quantize.to_bits")(SIGNS[1]), PACKED[1])


def test_hamming__by_hand(task):
    hamming = task("quantize.hamming")
    expect(hamming(BITS[0], BITS[[0, 3, 1, 4]]), [0, 2, 9, 16])
    expect(hamming(np.array([3, 0, 255], dtype=np.uint8), np.array([[1, 128, 0], [3, 0, 255]], dtype=np.uint8)),
           [10, 0])


def test_hamming__more_than_a_byte_can_count(task):
    hamming, bits, many = task("quantize.hamming"), np.zeros(33, dtype=np.uint8), np.full((1, 33), 255, dtype=np.uint8)
    expect(hamming(bits, many), [264])
    many[0, :2] = 15
    expect(hamming(bits, many), [256])


def test_hamming__one_row_and_none(task):
    hamming = task("quantize.hamming")
    expect(hamming(np.array([7], dtype=np.uint8), np.array([[8]], dtype=np.uint8)), [4])
    expect(hamming(np.array([7, 9], dtype=np.uint8), np.zeros((0, 2), dtype=np.uint8)), [])


def test_hamming__two_widths(task):
    hamming = task("quantize.hamming")
    hamming.refuses(BITS[0], np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8))
    hamming.refuses(np.array([1], dtype=np.uint8), BITS[:3])


def test_sign_dot__eleven_signs(task):
    # against itself, with 9 of 11 different, with 1001 0110 against 1111 1111 and 101 against 000
    expect(task("quantize.sign_dot")(BITS[0], BITS[:4], 11), [11, -7, -1, 7])


def test_sign_dot__whole_bytes(task):
    expect(task("quantize.sign_dot")(np.array([150], np.uint8), np.array([[150], [104], [105], [22]], np.uint8), dim=8),
           [8, -6, -8, 6])


def test_sign_dot__all_different(task):
    sign_dot, bits, many = task("quantize.sign_dot"), np.zeros(33, np.uint8), np.full((1, 33), 255, dtype=np.uint8)
    expect(sign_dot(bits, many, 264), [-264])
    many[0, :2] = 15
    expect(sign_dot(bits, many, 264), [-248])


def test_sign_dot__dim_and_bytes_do_not_fit(task):
    sign_dot = task("quantize.sign_dot")
    sign_dot.refuses(BITS[0], BITS[:3], 17)
    sign_dot.refuses(BITS[0], BITS[:3], 8)


# seven vectors of length 1, the third equal to the second; the dot products with QUERY are
# 14/15, 2/3, 2/3, -1/3, 8/9, 16/21, -2/15
VECTORS = np.array([[0.6, 0.8, 0.0], [0.0, 0.6, 0.8], [0.0, 0.6, 0.8], [-0.8, 0.0, 0.6], [2 / 3, 1 / 3, 2 / 3],
                    [2 / 7, 3 / 7, 6 / 7], [0.0, -0.6, 0.8]])
QUERY = [2 / 3, 2 / 3, 1 / 3]


def test_rescore__the_last_candidate_may_be_the_best(task):
    rescore = task("quantize.rescore")
    expect(rescore([0.6, 0.8], [2, 3, 0], [[0.8, 0.6], [0.6, 0.8], [0, 1], [1, 0]], k=2), [[0, 0.96], [2, 0.8]])
    expect(rescore(QUERY, [3, 5, 6, 0], VECTORS, k=2), [[0, 14 / 15], [5, 16 / 21]])
    expect(rescore(np.array(QUERY), [6, 1, 4], VECTORS.tolist(), k=1), [[4, 8 / 9]])


def test_rescore__only_candidates_are_looked_at(task):
    expect(task("quantize.rescore")(QUERY, [5, 6, 3, 4], VECTORS, k=3), [[4, 8 / 9], [5, 16 / 21], [6, -2 / 15]])


def test_rescore__ties_by_position(task):
    rescore = task("quantize.rescore")
    expect(rescore(QUERY, [1, 6, 2, 3], VECTORS, k=2), [[1, 2 / 3], [2, 2 / 3]])
    expect(rescore(QUERY, [2, 3, 1], VECTORS, k=2), [[1, 2 / 3], [2, 2 / 3]])


def test_rescore__fewer_candidates_than_k(task):
    expect(task("quantize.rescore")(QUERY, [6, 1], VECTORS, k=5), [[1, 2 / 3], [6, -2 / 15]])


def test_rescore__what_makes_no_sense(task):
    rescore = task("quantize.rescore")
    rescore.refuses(QUERY, [6, 1], VECTORS, k=0)
    rescore.refuses(QUERY, [6, 1, 4], VECTORS, k=-1)
    rescore.refuses([0.6, 0.8], [0, 3], [[0.8, 0.6], [0, 1], [1, 0]], k=2)
    rescore.refuses([0.6, 0.8], [-1, 0], [[0.8, 0.6], [0, 1], [1, 0]], k=2)


def test_split__parts_of_neighbors(task):
    split = task("quantize.split")
    expect(split([1, 2, 3, 4, 5, 6], 3), [[1, 2], [3, 4], [5, 6]])
    expect(split(np.arange(12.0) / 4, m=4), [[0, 0.25, 0.5], [0.75, 1, 1.25], [1.5, 1.75, 2], [2.25, 2.5, 2.75]])


def test_split__one_part_and_parts_of_one(task):
    split = task("quantize.split")
    expect(split([0.5, 0.25, 0.75], 1), [[0.5, 0.25, 0.75]])
    expect(split([0.5, 0.25, 0.75, 1.0], 4), [[0.5], [0.25], [0.75], [1.0]])


def test_split__what_does_not_come_out_even(task):
    split = task("quantize.split")
    split.refuses([1, 2, 3, 4, 5, 6, 7], 3)
    split.refuses([1, 2], 4)
    split.refuses([1, 2, 3], 0)


# two parts of two numbers, three entries each: small, so that a first message is
FEW = [[[0, 0], [2, 1], [1, 2]], [[0.5, 0.5], [-1, 0], [0, 2]]]
# three parts of two numbers, five entries each; and four vectors of six numbers
BOOKS = np.array([[[0, 0], [1, 0], [0, 1], [1, 1], [2, -1]],
                  [[0.5, 0.5], [-1, 0], [0, -1], [-1, -1], [0, 2]],
                  [[3, 0], [0, 3], [-3, 0], [0, -3], [1, 1]]], dtype=float)
SIXES = np.array([[0.9, 0.2, -0.8, -0.9, 0.2, 2.5], [1.8, -0.9, 0.1, 1.4, -2.5, 0.4],
                  [0.1, 0.2, 0.3, 0.6, 2.2, 0.85], [0.6, 0.9, -0.2, -1.1, 0.4, -2.0]])
NAMES = [[1, 3, 1], [4, 4, 2], [0, 0, 0], [3, 2, 3]]
# two parts of three numbers, four entries each
WIDE = [[[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]], [[2, 0, 0], [0, 2, 0], [0, 0, 2], [2, 2, 2]]]


def test_pq_encode__the_nearest_entry_of_each_part(task):
    pq_encode = task("quantize.pq_encode")
    expect(pq_encode([[1.8, 0.9, 0.5, 1.3]], FEW), [[1, 0]])  # (0.5, 1.3): 0.64 from the first, 0.74 from the last
    expect(pq_encode(SIXES, BOOKS), NAMES)
    expect(pq_encode(SIXES[1:3].tolist(), BOOKS.tolist()), NAMES[1:3])


def test_pq_encode__two_parts_of_three(task):
    expect(task("quantize.pq_encode")([[0.1, 0.9, 0.2, 0.3, 0.2, 1.9], [0.8, 0.7, 0.9, 0.1, 1.6, 0.0],
                                       [0.2, 0.1, 0.4, 1.1, 1.2, 1.3], [0.6, 0.1, 0.2, 2.5, 0.2, 0.1],
                                       [0.2, 0.6, 0.1, 1.6, 0.3, 1.1]], WIDE),
           [[1, 2], [3, 1], [0, 3], [2, 0], [1, 0]])


def test_pq_encode__ties_go_to_the_lower_number(task):
    expect(task("quantize.pq_encode")([[0.5, 0.5, -0.5, -0.5, 0.0, 0.0], [1.0, 0.5, -1.0, -0.5, 1.0, 1.0]], BOOKS),
           [[0, 1, 4], [1, 1, 4]])


def test_pq_encode__two_widths(task):
    pq_encode = task("quantize.pq_encode")
    pq_encode.refuses(SIXES[:, :4], BOOKS)
    pq_encode.refuses([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]], BOOKS)


ASKED = [1.0, 2.0, -1.0, 3.0, 0.5, -2.0]  # with the entries: 0 1 2 3 0, 1 1 -3 -2 6, 1.5 -6 -1.5 6 -1.5


def test_pq_scores__a_number_from_each_part(task):
    pq_scores = task("quantize.pq_scores")
    expect(pq_scores([1, 2, -2, 3], [[1, 0], [2, 2], [0, 1]], FEW), [4.5, 11.0, 2.0])  # 0 4 5 and 0.5 2 6
    expect(pq_scores(ASKED, NAMES, BOOKS), [-7.0, 4.5, 2.5, 6.0])
    expect(pq_scores(np.array(ASKED), np.array(NAMES[:2], dtype=np.uint8), BOOKS.astype(np.float32)), [-7.0, 4.5])


def test_pq_scores__two_parts_of_three(task):
    # with the entries: 0.5 -1 2 1.5 and 1 3 -4 0
    expect(task("quantize.pq_scores")([2.0, -1.0, 0.5, 0.5, 1.5, -2.0], [[1, 2], [3, 1], [0, 3], [2, 0], [1, 0]], WIDE),
           [-5.0, 4.5, 0.5, 3.0, 0.0])


def test_pq_scores__the_query_is_not_coded(task):
    # 0.4 and 0.7 stay what they are; their nearest entries would make 0 and 1 of them
    expect(task("quantize.pq_scores")([0.4, 0.3, 0.2, 0.7, 0.9, 0.2], [[3, 4, 4], [1, 0, 0]], BOOKS), [3.2, 3.55])


def test_pq_scores__what_does_not_fit(task):
    pq_scores = task("quantize.pq_scores")
    pq_scores.refuses(ASKED[:4], NAMES, BOOKS)
    pq_scores.refuses(ASKED, [[0, 1], [2, 3]], BOOKS)
    pq_scores.refuses(ASKED, [[0, 1, 5], [2, 3, 4]], BOOKS)
