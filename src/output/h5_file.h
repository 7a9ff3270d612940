/*
 * HDF5 over a wi_out.
 *
 * When the disk is full, HDF5 1.10 can neither write what it holds nor close the file, and crashes when it
 * tries again as the process ends. So weir gives it a file that always takes what it writes: the first
 * failure is remembered by the wi_out, and wi_out_close, called after H5Fclose, reports it.
 */
#pragma once

#include <hdf5.h>

#include "base/file/out.h"

/*
 * Begin an HDF5 file in an empty wi_out, which must live until H5Fclose and stays the caller's. Negative on
 * failure. No times of creation are kept, so that the same content gives the same bytes.
 */
hid_t wi_h5_create(wi_out *file);

/*
 * Around every stretch of calls of HDF5, not nested: waits for other threads' stretches, and keeps what HDF5 is
 * told about printing, as a failed call shall not write to stderr.
 */
typedef struct wi_h5_quiet {
    H5E_auto2_t print;
    void *data;
} wi_h5_quiet;
/* HDF5 prints no errors from here on; what it did is returned, for wi_h5_end. */
wi_h5_quiet wi_h5_begin(void);
/* Ends what wi_h5_begin began. */
void wi_h5_end(wi_h5_quiet before);

/* The innermost message of HDF5's error stack, into `out`; empty when there is none. */
void wi_h5_error(char *out, size_t size);
