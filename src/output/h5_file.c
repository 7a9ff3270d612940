/* An HDF5 file driver over wi_out. HDF5 user's guide, "Virtual File Layer"; class layout of 1.10 to 1.14. */
#include "output/h5_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

enum {
    DRIVER_NUMBER = 600
}; /* of those that HDF5 leaves to applications (512 and above); never stored in a file */

/* What reaches the driver through the access property list. */
typedef struct driver_info {
    wi_out *file;
} driver_info;

typedef struct driver_file {
    H5FD_t base; /* first: HDF5 sees a driver_file as this */
    wi_out *file;
    haddr_t eoa; /* end of what HDF5 has allocated */
    haddr_t eof; /* end of what it has written */
} driver_file;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)name, (void)flags, (void)maxaddr;
    const driver_info *info = H5Pget_driver_info(fapl);
    driver_file *f = calloc(1, sizeof *f);
    if (!f || !info) {
        free(f);
        return NULL;
    }
    f->file = info->file;
    return &f->base;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((driver_file *)file)->eoa = addr;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)file)->eof;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size, void *buffer)
{
    (void)type, (void)dxpl;
    wi_out_read_at(((driver_file *)file)->file, addr, buffer, size);
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size,
                           const void *buffer)
{
    (void)type, (void)dxpl;
    driver_file *f = (driver_file *)file;
    wi_out_write_at(f->file, addr, buffer, size);
    if (addr + size > f->eof)
        f->eof = addr + size;
    return 0;
}

/* HDF5 wants the file to end where its allocations end. */
static herr_t driver_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing)
{
    (void)dxpl, (void)closing;
    driver_file *f = (driver_file *)file;
    if (f->eoa != f->eof)
        wi_out_truncate(f->file, f->eoa);
    f->eof = f->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)DRIVER_NUMBER,
#endif
    .name = "weir",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG, /* closing the file closes all that is open in it */
    .fapl_size = sizeof(driver_info),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Registered once and kept: H5FD_close reads the driver's class after it has given up the file's hold on it.
 */
static hid_t driver_id(void)
{
    static hid_t id = H5I_INVALID_HID;
    if (id < 0 || H5Iis_valid(id) <= 0)
        id = H5FDregister(&driver);
    return id;
}

hid_t wi_h5_create(wi_out *file)
{
    const driver_info info = {file};
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    const hid_t id = driver_id();
    hid_t h5 = H5I_INVALID_HID;
    if (fapl >= 0 && fcpl >= 0 && id >= 0 && H5Pset_driver(fapl, id, &info) >= 0 &&
        H5Pset_obj_track_times(fcpl, false) >= 0)
        h5 = H5Fcreate("series", H5F_ACC_TRUNC, fcpl, fapl);
    if (fcpl >= 0)
        H5Pclose(fcpl);
    if (fapl >= 0)
        H5Pclose(fapl);
    return h5;
}

/* HDF5 as Debian builds it has state of its own and no lock around it. */
static pthread_mutex_t h5_lock = PTHREAD_MUTEX_INITIALIZER;

wi_h5_quiet wi_h5_begin(void)
{
    pthread_mutex_lock(&h5_lock);
    wi_h5_quiet before = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void wi_h5_end(wi_h5_quiet before)
{
    H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
    pthread_mutex_unlock(&h5_lock);
}

typedef struct text_out {
    char *out;
    size_t size;
} text_out;

static herr_t take_innermost(unsigned n, const H5E_error2_t *error, void *data)
{
    const text_out *text = data;
    if (n == 0)
        snprintf(text->out, text->size, "%s", error->desc ? error->desc : "");
    return 0;
}

void wi_h5_error(char *out, size_t size)
{
    text_out text = {out, size};
    out[0] = '\0';
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &text);
}
