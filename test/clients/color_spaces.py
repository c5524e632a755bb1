"""Judges converted colors. Prints one JSON object for each argument, one per line.

An argument is an object in JSON: {"path", "channels"} lists what is not in the target space, which has 1, 3 or 4
channels, or 0 for Lab. With {"patches"}, the object also has the largest difference (CIEDE2000) of converted sRGB patches
to what Little CMS makes of them with the profile in the document. Each patch is a pair of lists: 8-bit RGB, and
components of the target.
"""
import ctypes
import json
import math
import sys

import pikepdf
from pikepdf import ContentStreamInlineImage, Dictionary, Name, Stream


class Walk:
    def __init__(self, channels):
        self.channels, self.seen, self.found = channels, set(), []

    def is_target(self, space, mask):
        family = str(space) if isinstance(space, Name) else str(space[0])
        if family == "/Indexed":
            return self.is_target(space[1], mask)
        if family == "/Pattern":
            return isinstance(space, Name) or len(space) < 2 or self.is_target(space[1], True)
        if family == "/DeviceGray":
            return mask
        if family == "/Lab":
            return self.channels == 0
        return family == "/ICCBased" and int(space[1].N) == self.channels

    def space(self, space, mask, where):
        if space is None or not self.is_target(space, mask):
            self.found.append(f"{where}: {'none' if space is None else repr(space)[:80]}")

    def is_new(self, value):
        key = value.objgen if value.is_indirect else id(value)
        is_new = key not in self.seen
        self.seen.add(key)
        return is_new

    def named(self, name, resources, mask, where):
        if name in (Name.Pattern, Name.DeviceGray):
            self.space(name, mask, where)
        else:
            self.space((resources or {}).get("/ColorSpace", {}).get(str(name)), True, where)

    def content(self, stream, resources, mask, where):
        for operation in pikepdf.parse_content_stream(stream):
            if isinstance(operation, ContentStreamInlineImage):
                image = operation.iimage.obj
                if not (image.get("/IM") or image.get("/ImageMask")):
                    self.named(image.get("/CS") or image.get("/ColorSpace"), resources, mask, f"{where} inline")
                continue
            operator = str(operation.operator)
            if operator in ("g", "G", "rg", "RG", "k", "K"):
                self.found.append(f"{where}: {operator}")
            elif operator in ("cs", "CS"):
                self.named(operation.operands[0], resources, mask, where)

    def form(self, form, callers, mask, where):
        if not isinstance(form, Stream) or not self.is_new(form):
            return
        group = form.get("/Group", {}).get("/CS")
        if group is not None:
            self.space(group, mask, f"{where} group")
        resources = form.get("/Resources")
        self.content(form, callers if resources is None else resources, mask, where)
        self.resources(resources, mask, where)

    def resources(self, resources, mask, where):
        if resources is None or not self.is_new(resources):
            return
        of = lambda category: resources.get(category, {}).items()
        for name, value in of("/XObject"):
            if value.get("/Subtype") != Name.Image:
                self.form(value, resources, mask, f"{where}{name}")
            elif not value.get("/ImageMask") and self.is_new(value):
                self.space(value.get("/ColorSpace"), mask, f"{where}{name}")
                matte = value.get("/SMask", {}).get("/Matte", [])
                if len(matte) not in (0, self.channels or 3):
                    self.found.append(f"{where}{name} Matte")
        for name, value in of("/Pattern"):
            if isinstance(value, Stream):
                self.form(value, resources, mask, f"{where}{name}")
            else:
                self.space(value.Shading.ColorSpace, mask, f"{where}{name}")
        for name, value in of("/Shading"):
            self.space(value.ColorSpace, mask, f"{where}{name}")
        for name, value in of("/ExtGState"):
            if isinstance(value.get("/SMask"), Dictionary):
                self.form(value.SMask.G, resources, value.SMask.S == Name.Luminosity, f"{where}{name}")
        for name, value in of("/Font"):
            for glyph in value.get("/CharProcs", {}).values():
                self.content(glyph, value.get("/Resources", resources), mask, f"{where}{name}")
            self.resources(value.get("/Resources"), mask, f"{where}{name}")
        for name, value in of("/ColorSpace"):
            self.space(value, name.startswith("/Mask"), f"{where}{name}")

    def page(self, page):
        group = page.get("/Group", {}).get("/CS")
        if group is not None:
            self.space(group, False, "page group")
        self.content(page, page.get("/Resources"), False, "page")
        self.resources(page.get("/Resources"), False, "page")
        for note in page.get("/Annots", []):
            for look in note.get("/AP", {}).values():
                for one in [look] if isinstance(look, Stream) else look.values():
                    self.form(one, None, False, "annotation")
            for key in ("/C", "/IC"):
                if self.channels and len(note.get(key, [])) not in (0, self.channels):
                    self.found.append(f"annotation {key}")


def others(path, channels):
    with pikepdf.open(path) as pdf:
        walk = Walk(channels)
        for page in pdf.pages:
            walk.page(page.obj)
        return walk.found


DOUBLE, BLACK_POINT, NO_OPTIMIZATION, RELATIVE = 1 << 22, 0x2000, 0x0100, 1
FORMATS = {1: (3, 1), 3: (4, 3), 4: (6, 4), 0: (10, 3)}


def converter(lcms, source, target, kinds, flags):
    formats = [DOUBLE | space << 16 | channels << 3 for space, channels in (FORMATS[kind] for kind in kinds)]
    made = lcms.cmsCreateTransform(source, formats[0], target, formats[1], RELATIVE, flags | NO_OPTIMIZATION)
    counts = [FORMATS[kind][1] for kind in kinds]

    def convert(color):
        out = (ctypes.c_double * counts[1])()
        lcms.cmsDoTransform(made, (ctypes.c_double * counts[0])(*color), out, 1)
        return list(out)

    return convert


def largest(patches, path, channels):
    lcms = ctypes.CDLL("liblcms2.so.2")
    pointer = ctypes.c_void_p
    for name in ("cmsOpenProfileFromMem", "cmsCreateLab4Profile", "cmsCreate_sRGBProfile", "cmsCreateTransform"):
        getattr(lcms, name).restype = pointer
    lcms.cmsCreateTransform.argtypes = [pointer, ctypes.c_uint32, pointer, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32]
    lcms.cmsDoTransform.argtypes = [pointer, pointer, pointer, ctypes.c_uint32]
    lab = lcms.cmsCreateLab4Profile(None)
    target = lab
    if channels:
        with pikepdf.open(path) as pdf:
            profile = pdf.pages[0].Resources.ColorSpace.Target[1].read_bytes()
        target = lcms.cmsOpenProfileFromMem(profile, len(profile))
    expected = converter(lcms, lcms.cmsCreate_sRGBProfile(), target, (3, channels), BLACK_POINT)
    shown = converter(lcms, target, lab, (channels, 0), 0) if channels else list
    scale = 100 if channels == 4 else 1
    return max(
        difference(shown(expected([part / 255 for part in rgb])), shown([part * scale for part in made]))
        for rgb, made in patches
    )


def difference(one, other):
    """CIEDE2000 (CIE 142-2001)."""
    mean_chroma = (math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    chromas, hues = [], []
    for _, a, b in (one, other):
        chromas.append(math.hypot(a * stretch, b))
        hues.append(math.degrees(math.atan2(b, a * stretch)) % 360)
    is_gray = chromas[0] * chromas[1] == 0
    turn = 0 if is_gray else (hues[1] - hues[0] + 180) % 360 - 180
    hue = sum(hues) if is_gray else (hues[0] + turn / 2) % 360
    lightness, chroma = (one[0] + other[0]) / 2, sum(chromas) / 2
    wave = lambda factor, shift: math.cos(math.radians(factor * hue + shift))
    weight = 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.2 * wave(4, -63)
    of_lightness = (other[0] - one[0]) / (1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2))
    of_chroma = (chromas[1] - chromas[0]) / (1 + 0.045 * chroma)
    of_hue = 2 * math.sqrt(chromas[0] * chromas[1]) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    rotation = math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    rotation *= -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    return math.sqrt(of_lightness**2 + of_chroma**2 + of_hue**2 + rotation * of_chroma * of_hue)


for argument in map(json.loads, sys.argv[1:]):
    path, channels, patches = argument["path"], argument["channels"], argument.get("patches")
    told = {"others": others(path, channels)}
    print(json.dumps({**told, "largest": largest(patches, path, channels)} if patches else told))
