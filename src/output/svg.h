/* Pieces of SVG that pictures share. */
#ifndef WI_OUTPUT_SVG_H
#define WI_OUTPUT_SVG_H

#include <stdio.h>

/* A text element, whatever is in the text: `anchor` is start, middle or end, `more` further attributes. What XML cannot hold
 * (control characters, broken UTF-8) is shown as a question mark. */
void wi_svg_text(FILE *out, int x, int y, const char *anchor, const char *more, const char *text);

#endif
