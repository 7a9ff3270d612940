/* Closes floyd/tile.h. */
#undef TILE_JOIN_
#undef TILE_JOIN
#undef TILE_RELAX
#undef LOCAL
#undef ROW_WORDS
#undef PER_WORD
#undef STAGE_PIVOTS
#undef STAGES
