"""libweir in the package: with it inside, a wheel is for one platform; an sdist has its sources in libweir/, and builds it.

Without either the package is pure Python and looks for a libweir that is installed."""
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "libweir"
WITH_LIBRARY = SOURCE.exists() or any((HERE / "weir").glob("libweir.so.*"))


class Build(build_py):
    def run(self):
        super().run()
        if not SOURCE.exists():
            return
        if not shutil.which("cmake"):
            raise SystemExit("weir: building libweir wants CMake 3.25 or later, a C compiler, and what docs/quick-start.md names")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        room = Path(self.build_lib).resolve() / ".." / "libweir"
        subprocess.run(["cmake", *generator, "-S", SOURCE, "-B", room, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DWEIR_MPI=OFF",
                        *os.environ.get("WEIR_CMAKE_FLAGS", "").split()], check=True)
        subprocess.run(["cmake", "--build", room, "--parallel", str(os.cpu_count()), "--target", "libweir"], check=True)
        major = (SOURCE / "VERSION").read_text().split(".")[0]
        shutil.copy(room / f"libweir.so.{major}", Path(self.build_lib) / "weir")


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return WITH_LIBRARY


commands = {"build_py": Build}
if WITH_LIBRARY:
    from wheel.bdist_wheel import bdist_wheel

    class Wheel(bdist_wheel):
        def get_tag(self):
            """Any Python 3 on this platform: libweir is called by ctypes."""
            return "py3", "none", os.environ.get("WEIR_PLATFORM") or super().get_tag()[2]

    commands["bdist_wheel"] = Wheel

setup(cmdclass=commands, distclass=WithLibrary)
