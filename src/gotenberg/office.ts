// Office documents to PDF: the fields of /forms/libreoffice/convert.

import { differs, flag, ignored, integer, parametersOf, ranges, readTable, refused, takes, text } from "./fields.ts";
import type { ForeignForm, StepBody } from "./plan.ts";

/** The files that LibreOffice converts for Gotenberg. Other files of a request are ignored. */
const NAMES =
  "123 602 abw bib bmp cdr cgm cmx csv cwk dbf dif doc docm docx dot dotm dotx dxf emf eps epub fodg fodp fods fodt " +
  "fopd gif htm html hwp jpeg jpg key ltx lwp mcw met mml mw numbers odd odg odm odp ods odt otg oth otp ots ott pages " +
  "pbm pcd pct pcx pdb pdf pgm png pot potm potx ppm pps ppsm ppsx ppt pptm pptx psd psw pub pwp pxl ras rtf sda sdc " +
  "sdd sdp sdw sgl slk smf stc std sti stw svg svm swf sxc sxd sxg sxi sxm sxw tga tif tiff txt uof uop uos uot vdx " +
  "vor vsd vsdm vsdx wb2 wk1 wks wmf wpd wpg wps xbm xhtml xls xlsb xlsm xlsx xlt xltm xltx xlw xml xpm zabw";

export const OFFICE_EXTENSIONS: readonly string[] = NAMES.split(" ");

const on = (value: boolean) => (value ? "on" : undefined);

export const OFFICE_FIELDS = {
  password: takes(text, "current_open_password"),
  landscape: takes(differs(flag()), "page_orientation", (value) => (value ? "landscape" : undefined)),
  nativePageRanges: takes(ranges, "pages"),
  updateIndexes: takes(differs(flag()), "refresh_fields", on),
  exportFormFields: flag(true),
  exportBookmarks: flag(true),
  exportNotes: takes(flag(), "comments", (value) => (value ? "annotations" : undefined)),
  singlePageSheets: takes(differs(flag()), "sheet_fit", (value) => (value ? "one_page" : undefined)),
  losslessImageCompression: takes(flag(), "compression", (value) => (value ? "lossless" : undefined)),
  reduceImageResolution: flag(),
  maxImageResolution: integer(300),
  merge: flag(),
  nativePdfFormats: ignored(flag(true)),
  quality: refused(integer(90, { min: 1, max: 100 })),
  allowDuplicateFieldNames: refused(flag()),
  exportBookmarksToPdfDestination: refused(flag()),
  exportPlaceholders: refused(flag()),
  exportNotesPages: refused(flag()),
  exportOnlyNotesPages: refused(flag()),
  exportNotesInMargin: refused(flag()),
  convertOooTargetToPdfTarget: refused(flag()),
  exportLinksRelativeFsys: refused(flag()),
  exportHiddenSlides: refused(flag()),
  skipEmptyPages: refused(flag()),
  addOriginalDocumentAsStream: refused(flag()),
  initialView: refused(integer(0)),
  initialPage: refused(integer(1)),
  magnification: refused(integer(0)),
  zoom: refused(integer(100)),
  pageLayout: refused(integer(0)),
  firstPageOnLeft: refused(flag()),
  resizeWindowToInitialPage: refused(flag()),
  centerWindow: refused(flag()),
  openInFullScreenMode: refused(flag()),
  displayPDFDocumentTitle: refused(flag(true)),
  hideViewerMenubar: refused(flag()),
  hideViewerToolbar: refused(flag()),
  hideViewerWindowControls: refused(flag()),
  useTransitionEffects: refused(flag(true)),
  openBookmarkLevels: refused(integer(-1)),
  nativeWatermarkText: refused(text),
  nativeTiledWatermarkText: refused(text),
  nativeWatermarkColor: ignored(integer(8388223)),
  nativeWatermarkFontHeight: ignored(integer(0)),
  nativeWatermarkRotateAngle: ignored(integer(0)),
  nativeWatermarkFontName: ignored(text),
};

const RESOLUTIONS = [75, 150, 300, 600, 1200];

interface OfficeJob {
  readonly steps: readonly StepBody[];
  readonly isMerged: boolean;
}

export function officeJob({ values: sent, errors }: Pick<ForeignForm, "values" | "errors">): OfficeJob {
  const values = readTable(OFFICE_FIELDS, sent, errors);
  const { maxImageResolution, reduceImageResolution: isReduced } = values;
  if (!RESOLUTIONS.includes(maxImageResolution)) {
    errors.add(
      `form field 'maxImageResolution' is invalid (got '${maxImageResolution}', expected ${RESOLUTIONS.join(", ")})`,
    );
  }
  const downsample = isReduced ? String(maxImageResolution) : "off";
  const steps: StepBody[] = [{ pdf: { ...parametersOf(OFFICE_FIELDS, values), downsample } }];
  if (!values.exportFormFields) steps.push({ "flattened-forms-pdf": {} });
  if (!values.exportBookmarks) steps.push({ "pdf-with-bookmarks": { bookmarks: [] } });
  if (values.merge) steps.push({ "merged-pdf": {} });
  return { steps, isMerged: values.merge };
}
