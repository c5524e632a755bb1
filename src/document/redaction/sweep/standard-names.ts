// Names with a meaning in ISO 32000-2 and its extensions, where authors can choose a name, or instead of a name that an
// author chooses. cspell:disable
export const STANDARD_NAMES: ReadonlySet<string> = new Set(
  (
    "ADBE AESV2 AESV3 AFRelationship AIS ASCII85Decode ASCIIHexDecode AbsoluteColorimetric Accepted AcroForm Action " +
    "Activation ActualText AdbeXA Adobe Alaw All AllOff AllOn AllPages Alpha Alphabetic Alt Alternate AlternateImages " +
    "AlternatePresentations Alternates Alternative AngleMeasure Animation Annot AnnotStates Annotation Annots " +
    "AntiAlias AnyOff AnyOn App Approved ApprovedForm Array ArtBox Artifact Artwork AsIs Asc Ascent Aside Assets " +
    "Asterisk Attached AuthCode AuthEvent Author Auto AvgWidth BBType BBox BG2 BackdropAlpha Background " +
    "BackgroundColor BaseEncoding BaseFont BaseState BaseVersion BaselineShift Bead Before BeforeSpread Begin Between " +
    "BibEntry Bibliography Binding BitsPerComponent BitsPerCoordinate BitsPerFlag BitsPerSample BlackIs1 BlackPoint " +
    "BleedBox Blend Blinds Block BlockAlign BlockQuote Book Border BorderColor Both Bottom Bounds Box BoxColorInfo " +
    "BrowseSeqs Btn Butt ByteRange CADES CCITTFaxDecode CFM CIDFontType0 CIDFontType0C CIDFontType2 CIDInit CIDSet " +
    "CIDSystemInfo CIDToGIDMap CMap CMapName CRL CRLs CalCMYK CalGray CalRGB Cap CapHeight Caption Caret Catalog " +
    "Category Center CenterWindow Cert Certs CharProcs CharSet Chart Chartsheet CheckSum Circle ClassMap ClosedArrow " +
    "Code Col ColSpan Collection CollectionField CollectionFolder CollectionItem CollectionSchema CollectionSort " +
    "CollectionSplit CollectionSubitem Color ColorBurn ColorDodge ColorSpace ColorTransform Colorants Colors Column " +
    "ColumnCount ColumnGap ColumnWidths Columns Comment CommentAnchor Comments CommonEstablished Compatible Completed " +
    "Components Condition Confidential Configuration Configurations ContactInfo Contents Coords Copy Count Courier " +
    "Cover CreationDate Creator CreatorInfo CropBox CropFixed CropRect Cross CrossHatch Crypt CryptFilter " +
    "CryptFilterDecodeParms CuePoint Custom DCTDecode DSS DW2 DamagedRowsBeforeError Darken Dashed Data Date " +
    "Deactivation Decimal Decode DecodeParms Default DefaultCMYK DefaultForPrinting DefaultGray DefaultRGB " +
    "Departmental Desc DescendantFonts Descent Design Dest DestOutputProfile Dests DeviceCMYK DeviceColorant " +
    "DeviceGray DeviceN DeviceRGB Diagram Dialogsheet Diamond Difference Differences DigestLocation DigestMethod " +
    "DigestValue Dimmed Direction Disc DisplayDocTitle Dissolve Distribute Div DocMDP DocOpen DocSettings " +
    "DocTimeStamp Document DocumentFragment Domain DotGain Dotted Double Draw DropCap Duplex DuplexFlipLongEdge " +
    "DuplexFlipShortEdge Duration EFF EFOpen EPSG EarlyChange Editable Embedded EmbeddedFDFs EmbeddedFile " +
    "EmbeddedFiles Encode EncodedByteAlign Encoding Encrypt EncryptMetadata EncryptedPayload End EndIndent EndOfBlock " +
    "EndOfLine Endnote Entire Event ExData ExObj Exclude Exclusion Experimental Expired Export ExportState ExtGState " +
    "Extend Extended Extends ExtensionLevel Extensions External FDF FDecodeParms FENote FFilter Fade False Field " +
    "FieldMDP Fields Figure FileAttachment Filespec FillSignData Filter Final First FirstChar Fit FitB FitBH FitBV " +
    "FitH FitR FitV FitWindow FixedPrint Flags Flash FlashVars FlateDecode Fly Folders Font FontBBox FontDescriptor " +
    "FontFamily FontFauxing FontFile FontFile2 FontFile3 FontMatrix FontName FontStretch FontWeight Footer Footnote " +
    "ForComment ForPublicRelease Foreground Form FormData FormType Formula FreeText FreeTextCallout " +
    "FreeTextTypewriter From FullScreen Function FunctionType Functions GEO GEOGCS GPTS GTS_PDFA1 GTS_PDFX Gamma " +
    "Generic GoTo GoTo3DView GoToE GoToR Graph Groove Group H10 HardLight Header Headers Height Helvetica Hidden Hide " +
    "HideAnnotationActions HideMenubar HideToolbar HideWindowUI Highlight Hue ICCBased IDS IDTree IRT Icon Identity " +
    "Image ImageB ImageC ImageI ImageMask ImportData Include Index Indexed Info Ink InkList Inline InlineAlign " +
    "InlineShape Insert Inset Instances Intent Interpolate Inverted IsMap Italic ItalicAngle JBIG2Decode JBIG2Globals " +
    "JPXDecode JavaScript JavaScriptActions Justify Key Keystroke Keywords Kids L2R LBody LPTS LZWDecode Lab Label " +
    "Landscape Lang Language Last LastChar LastModified LastPage Launch LaunchActions Layout Lbl Leading Legal " +
    "LegalAttestation Length Length1 Length2 Length3 Lighten Limits Line LineArrow LineDimension LineHeight " +
    "LineThrough Linearized Link Linked List ListBox ListMode ListNumbering Location Lock Locked LowerAlpha " +
    "LowerLatin LowerRoman LrTb Luminosity MCID MCR MacExpertEncoding MacRomanEncoding Macrosheet Manifest Mark " +
    "MarkInfo MarkStyle Marked Markup Mask Match Math Matrix Matte MaxLen MaxWidth Measure MediaBox MediaClip " +
    "MediaCriteria MediaDuration MediaOffset MediaPermissions MediaPlayParams MediaPlayerInfo MediaPlayers " +
    "MediaScreenParams Metadata MinBitDepth MinScreenSize MissingWidth Mix MixingHints ModDate Modify Movie " +
    "MovieActions Multiply NChannel Name Named Names Namespace Namespaces NavNode NavigationPane Navigator " +
    "NeedAppearances NeedsRendering NewParagraph NewWindow Next NextPage Node NonEFontNoWarn NonFullScreenPageMode " +
    "NonStruct None Normal NotApproved NotForPublicRelease Note Notes NumCopies Nums OBJR OCG OCGs OCMD OCProperties " +
    "OCSP OCSPs OPM Obj ObjStm Off Offset OneColumn Online Open OpenAction OpenArrow OpenType Opt OptionalContent " +
    "Order Ordering Origin Outline Outlines OutputCondition OutputConditionIdentifier OutputICC OutputIntent " +
    "OutputIntents Outset Overlay OverlayText Overline PCM PDF PDFDocEncoding PPKLite PPKMS PRC Padding Page " +
    "PageDirection PageElement PageLabel PageLabels PageLayout PageMode PageNum PageObj PageOpen PageRoot Pages Paint " +
    "PaintType Panose Paperclip Paragraph Params Parent ParentTree ParentTreeNextKey Part PassContextClick Pattern " +
    "PatternType Perceptual Perms PickTrayByPDFSize PieceInfo Placement Play PolyLine PolyLineDimension Polygon " +
    "PolygonCloud PolygonDimension Popup PostScript Pre PreRelease Predictor PresSteps Prev PrevPage Preview Print " +
    "PrintArea PrintClip PrintFieldAttr PrintPageRange PrintScaling PrintState Printed PrinterMark Printers Printing " +
    "Private ProcSet ProcSets Process Producer Projection Prop_AuthTime Prop_AuthType Prop_Build Properties PtData " +
    "PubSec Push PushPin QuadPoints Quality Quotation Quote RBGroups Radius Range Reason Recipients Rect Redact Ref " +
    "Reference Registry RegistryName Rejected Relative RelativeColorimetric Rendition Renditions ReplyType Required " +
    "Requirement Requirements ResFork ResetForm Resources RichMedia RichMediaContent RichMediaExecute " +
    "RichMediaSettings Ridge RoleMap RoleMapNS Root Rotate Row RowSpan Rows Ruby RubyAlign RubyPosition " +
    "RunLengthDecode SMask SPS Saturation Schema Scope Screen Scripts Sect Separation SeparationColorNames " +
    "SeparationInfo SetOCGState SetState Shading ShadingType Short Sig SigFieldLock SigFlags SigQ SigRef Simplex " +
    "Single SinglePage Size Slash Slide Solid Sort Sound SoundActions SourceModified SpaceAfter SpaceBefore Span " +
    "SpawnTemplate SpecialStructure SpiderContentSet SpiderInfo Split Square Squiggly Stamp Standard StandardEncoding " +
    "Start StartIndent State StateModel StdCF StemH StemV StmF StrF StrikeOut Strikeout Strong StructElem " +
    "StructParent StructParents StructTreeRoot Style Sub SubFilter Subform Subj Subject SubmitForm Subscript Subtype " +
    "Summary Superscript Supplement Supplemental Suspects Symbol Sync TBody TBorderStyle TFoot THead TR2 Table Tabs " +
    "Tag TbRl Template TemplateInstantiated Templates Text TextAlign TextBox TextDecorationColor " +
    "TextDecorationThickness TextDecorationType TextIndent TextPosition Textbox Thickness Thread Threads Thumb " +
    "TilingType Times Timespan Title ToUnicode Toggle Toolbar Top TopSecret Trans TransferFunction TransformMethod " +
    "TransformParams Transparency Transparent TrapNet TrapRegions TrapStyles Trapped TrimBox TrueType TrueTypeFonts " +
    "TrustedMode TwoColumnLeft TwoColumnRight TwoPageLeft TwoPageRight Type Type0 Type1 Type1C Type3 U3D UCR UCR2 URI " +
    "URLS Unchanged Uncover Underline Unknown Unspecified UpperAlpha UpperLatin UpperRoman Usage UseAttachments " +
    "UseCMap UseNone UseOC UseOutlines UseThumbs UserProperties UserUnit VRI Version Vertices Video View ViewArea " +
    "ViewClip ViewState ViewerPreferences Viewport Views Visible VisiblePages VolatileContents WCInfo WKT WMode " +
    "Warichu WarichuPosition WarichuText Watermark WhitePoint Widget Width Widths WinAnsiEncoding WinCharSet Windowed " +
    "Wipe Workbook Worksheet WritingMode XFA XFAResources XFDF XHeight XML XObject XRef XRefStm XStep XYZ YStep ZaDi " +
    "Zoom"
  ).split(" "),
);
