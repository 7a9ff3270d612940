# spack repo add packaging/spack/spack_repo/weir && spack install weir: of the clone that this file lies in.
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Weir(CMakePackage):
    """Simulator for large networks: traffic packet by packet, as fluid or by a surrogate, on cores, MPI ranks and GPUs, with
    the same bits on each."""

    git = Path(__file__).resolve().parents[5].as_uri()

    license("MIT")

    version("main", branch="main")
    version("1.0.0", tag="v1.0.0")

    variant("mpi", default=True, description="Engines over MPI ranks")
    variant("cuda", default=False, description="The GPU engine, fluid and routes on a GPU")
    variant("metis", default=True, description="Partitions by METIS")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("random123", type="build")
    depends_on("libyaml")
    depends_on("libxml2")
    depends_on("jansson@2.11:")
    depends_on("hdf5@1.10:~mpi")
    depends_on("zlib-api")
    depends_on("bzip2")
    depends_on("metis@5:", when="+metis")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.4:", when="+cuda")

    def cmake_args(self):
        return [
            self.define_from_variant("WEIR_MPI", "mpi"),
            self.define_from_variant("WEIR_CUDA", "cuda"),
            self.define_from_variant("WEIR_METIS", "metis"),
            self.define("WEIR_REPORT", False),  # its page is made of npm's packages
            self.define("BUILD_TESTING", self.run_tests),
        ]

    def test_run(self):
        """an example runs"""
        weir = which(self.prefix.bin.weir)
        weir("run", self.prefix.share.doc.weir.examples.first.join("first.yaml"), "-q", "-o", "results")
