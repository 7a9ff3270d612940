#include "base/common/cow.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct wi_cow {
    int file;
    void *data;
    size_t size;
};

static size_t whole(size_t size)
{
    return (size + WI_COW_PAGE - 1) / WI_COW_PAGE * WI_COW_PAGE;
}

/* Each mapping counts where address space is what a process is limited in. */
static bool may_map(void)
{
    struct rlimit space;
    return sysconf(_SC_PAGESIZE) == WI_COW_PAGE &&
           (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY);
}

wi_cow *wi_cow_new(const void *data, size_t size)
{
    if (!may_map())
        return NULL;
    wi_cow *p = calloc(1, sizeof *p);
    const int file = memfd_create("weir-routes", MFD_CLOEXEC);
    void *at = MAP_FAILED;
    if (p && size > 0 && file >= 0 &&
        posix_fallocate(file, 0, (off_t)whole(size)) == 0) /* or it ends in SIGBUS */
        at = mmap(NULL, whole(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        if (file >= 0)
            close(file);
        free(p);
        return NULL;
    }
    memcpy(at, data, size);
    (void)mprotect(at, whole(size), PROT_READ);
    *p = (wi_cow){file, at, size};
    return p;
}

void wi_cow_free(wi_cow *p)
{
    if (!p)
        return;
    munmap(p->data, whole(p->size));
    close(p->file);
    free(p);
}

const void *wi_cow_data(const wi_cow *p)
{
    return p->data;
}

void *wi_cow_map(const void *data, size_t size, const wi_cow *p, size_t *all)
{
    const size_t behind = whole(p->size);
    *all = size + behind;
    char *block = mmap(NULL, *all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    memcpy(block, data, size);
    if (mmap(block + size, behind, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, p->file, 0) ==
        MAP_FAILED) {
        munmap(block, *all);
        return NULL;
    }
    return block;
}

void wi_cow_unmap(void *block, size_t all)
{
    munmap(block, all);
}
