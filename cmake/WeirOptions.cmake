# Flags that every target shares. They hang on one interface library, weir_flags.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # POSIX and __int128
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -g1") # lines for profiles and stacks; all of -g takes a quarter longer
set(CMAKE_C_FLAGS_DEBUG "-O0 -g3")

set(WEIR_ARCH "" CACHE STRING "Value of -march (x86-64-v3, native); empty for the compiler's baseline")

add_library(weir_flags INTERFACE)
target_include_directories(weir_flags INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(weir_flags INTERFACE _GNU_SOURCE WEIR_VERSION="${PROJECT_VERSION}")
# Philox is integer arithmetic. Random123 would include all of immintrin.h beside it, in nearly every file of weir: a quarter of
# a second each, which is more than the compiler needs for the file itself.
target_compile_definitions(weir_flags INTERFACE R123_USE_SSE=0 R123_USE_SSE4_1=0 R123_USE_SSE4_2=0 R123_USE_X86INTRIN_H=0)
set(WEIR_EXTRA_NET "" CACHE FILEPATH "A header with queue disciplines and congestion controls of one's own (src/net/queue/queues.h)")
set(WEIR_EXTRA_KEYS "" CACHE FILEPATH "A C file with their keys (src/keys/queue/queues.h)")
if(WEIR_EXTRA_NET)
    target_compile_definitions(weir_flags INTERFACE WEIR_EXTRA_NET="${WEIR_EXTRA_NET}")
endif()
set(c_flags
    # The same bits everywhere: no fused multiply-add that the source does not spell out, no fast-math.
    -ffp-contract=off
    -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
    -Wno-missing-field-initializers
    # At -O3 gcc 12 guesses wrongly about bounded arrays behind counts; it is a warning then, never an error.
    $<$<BOOL:${WEIR_WERROR}>:-Werror> -Wno-error=maybe-uninitialized
    $<$<BOOL:${WEIR_ARCH}>:-march=${WEIR_ARCH}>
    $<$<NOT:$<CONFIG:Debug>>:-fno-plt>)
# On the device likewise; and bits must agree with the host's.
set(cuda_flags --fmad=false -Xcompiler=-ffp-contract=off,-Wall --expt-relaxed-constexpr
    $<$<BOOL:${WEIR_WERROR}>:-Werror=all-warnings>)
target_compile_options(weir_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:${c_flags}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")
if(WEIR_SANITIZE)
    target_compile_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZE})
endif()
