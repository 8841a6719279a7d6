"""Which of many captures a test goes through: all, or each PICA_TEST_SAMPLEth, where programs are slow (sanitizers)."""
import os

EVERY = int(os.environ.get('PICA_TEST_SAMPLE', '1'))


def sample(paths):
    return sorted(paths)[::EVERY]
