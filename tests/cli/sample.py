"""The captures that a test uses: every PICA_TEST_SAMPLEth. The suite `long` uses all of them."""
import os

EVERY = int(os.environ.get('PICA_TEST_SAMPLE', '4'))


def sample(paths):
    return sorted(paths)[::EVERY]
