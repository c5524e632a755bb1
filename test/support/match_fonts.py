# Prints the matches of fontconfig for a JSON list of patterns, in the format of fc-match. Fontconfig reads its rules
# once, which takes most of the time of fc-match.
import ctypes, json, sys
fc = ctypes.CDLL("libfontconfig.so.1")
for function in ("FcNameParse", "FcFontMatch", "FcPatternFormat"):
    getattr(fc, function).restype = ctypes.c_void_p
found = []
for name in json.load(sys.stdin):
    pattern = ctypes.c_void_p(fc.FcNameParse(name.encode()))
    fc.FcConfigSubstitute(None, pattern, 0)
    fc.FcDefaultSubstitute(pattern)
    font = ctypes.c_void_p(fc.FcFontMatch(None, pattern, ctypes.byref(ctypes.c_int())))
    text = fc.FcPatternFormat(font, sys.argv[1].encode())
    found.append(ctypes.string_at(text).decode())
    fc.FcPatternDestroy(pattern)
    fc.FcPatternDestroy(font)
json.dump(found, sys.stdout)
