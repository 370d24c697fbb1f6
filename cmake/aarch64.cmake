# Cross-compiles for 64-bit Arm with Debian's g++-aarch64-linux-gnu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# fmt is used as headers only, so the package of the machine that builds serves every architecture.
file(GLOB fmt_DIR /usr/lib/*/cmake/fmt)
