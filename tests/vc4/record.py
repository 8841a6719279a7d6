#!/usr/bin/env python3
"""Records what Mesa's vc4 driver submits: record.py SHIM PROGRAM PICAD FOLDER NAME...

FOLDER/vc4-mesa-NAME.pica is the capture of a picture of PROGRAM, vc4-gles, with the settings of driver_test.py. Beside it,
its picture and llvmpipe's, as NAME.ppm and NAME-llvmpipe.ppm; their difference is printed.
"""
import pathlib
import sys
import tempfile

from driver import Driver, compare, start_service


def main():
    driver, folder = Driver(*sys.argv[1:4]), pathlib.Path(sys.argv[4])
    for name in sys.argv[5:]:
        with tempfile.TemporaryDirectory() as top:
            socket, recorded = pathlib.Path(top, 'picad'), pathlib.Path(top, 'recorded')
            service = start_service(driver.picad, socket, f'--record={recorded}')
            driver.draw(name, folder / f'{name}.ppm', socket, PICA_VC4_MIB=16)
            service.terminate()  # the file is finished then
            service.wait(60)
            file, = recorded.glob('*.pica')
            capture = folder / f'vc4-mesa-{name}.pica'
            capture.write_bytes(file.read_bytes())
        other = driver.draw_other(name, folder / f'{name}-llvmpipe.ppm')
        share = compare(name, folder / f'{name}.ppm', folder / f'{name}-llvmpipe.ppm')
        print(f'{name}: {capture.stat().st_size} bytes; {share:.3f} % of pixels differ from {other}')


main()
