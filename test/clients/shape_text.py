"""Shapes texts with uharfbuzz. Arguments: JSON objects with the path of a font, a text and its direction. Prints for each
one the glyphs from left to right, as JSON: glyph, cluster, advance, and both offsets."""
import json
import sys

import uharfbuzz

for argument in sys.argv[1:]:
    given = json.loads(argument)
    font = uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(given["path"])))
    buffer = uharfbuzz.Buffer()
    buffer.add_str(given["text"])
    buffer.guess_segment_properties()
    buffer.direction = given["direction"]
    uharfbuzz.shape(font, buffer)
    glyphs = zip(buffer.glyph_infos, buffer.glyph_positions)
    rows = [
        [info.codepoint, info.cluster, position.x_advance, position.x_offset, position.y_offset]
        for info, position in glyphs
    ]
    print(json.dumps({"glyphs": rows}))
