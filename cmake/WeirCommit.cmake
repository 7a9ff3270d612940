# cmake -DSOURCE=DIR -DTO=FILE -P WeirCommit.cmake: the header FILE names the commit that SOURCE is of, for `weir --version`. It
# is written only when that changes. A tree from `git archive` has it in cmake/commit.txt; one without either is of "unknown".
cmake_minimum_required(VERSION 3.25)
set(commit unknown)
file(STRINGS ${SOURCE}/cmake/commit.txt archived LIMIT_COUNT 1)
if(archived MATCHES "^[0-9a-f]+$")
    string(SUBSTRING ${archived} 0 12 commit)
elseif(EXISTS ${SOURCE}/.git) # not that of a tree around this one
    execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty=-changed OUTPUT_VARIABLE said
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit ${said})
    endif()
endif()
file(CONFIGURE OUTPUT ${TO} CONTENT "#define WEIR_BUILD_COMMIT \"@commit@\"\n" @ONLY)
