// Creates the sample PDF: three pages with an image, a chart with transparency, and a table. The fonts are not
// embedded, so that a conversion to PDF/A must repair the document.
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from "pdf-lib";
import { landscape } from "./landscape.ts";

const A4: [number, number] = [595, 842];
const MARGIN = 64;
const INK = rgb(0.13, 0.13, 0.12);
const SOFT = rgb(0.42, 0.4, 0.37);
const RUST = rgb(0.61, 0.24, 0.12);
const SLATE = rgb(0.27, 0.36, 0.42);
const SAND = rgb(0.9, 0.78, 0.6);

interface Fonts {
  readonly title: PDFFont;
  readonly text: PDFFont;
  readonly bold: PDFFont;
}

/** Observations of one week: day, number of birds, wind speed in knots. */
const DAYS: readonly (readonly [string, number, number])[] = [
  ["Monday", 42, 6],
  ["Tuesday", 57, 9],
  ["Wednesday", 38, 14],
  ["Thursday", 71, 5],
  ["Friday", 64, 8],
  ["Saturday", 88, 4],
  ["Sunday", 79, 7],
];

export async function samplePdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle("Field notes");
  document.setAuthor("Pagewright");
  // A fixed date, so that every build produces the same bytes.
  for (const date of [new Date("2026-01-01T12:00:00Z")]) {
    document.setCreationDate(date);
    document.setModificationDate(date);
  }
  const fonts: Fonts = {
    title: await document.embedFont(StandardFonts.TimesRomanBold),
    text: await document.embedFont(StandardFonts.TimesRoman),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
  };
  await drawCover(document, fonts);
  drawChart(document.addPage(A4), fonts);
  drawTable(document.addPage(A4), fonts);
  return await document.save();
}

async function drawCover(document: PDFDocument, { title, text }: Fonts): Promise<void> {
  const page = document.addPage(A4);
  const picture = await document.embedPng(landscape(1240, 1000));
  const height = (A4[0] * 1000) / 1240;
  page.drawImage(picture, { x: 0, y: A4[1] - height, width: A4[0], height });
  page.drawText("Field notes", { x: MARGIN, y: 272, size: 52, font: title, color: INK });
  page.drawText("Seven evenings on the northern marsh", { x: MARGIN, y: 236, size: 19, font: text, color: SOFT });
  page.drawRectangle({ x: MARGIN, y: 206, width: 56, height: 4, color: RUST });
  const lines = [
    "The path leaves the village behind the last barn and follows the dike for two miles.",
    "After rain the lower half is under water; boots are better than optimism. We counted",
    "from the wooden hide, always between sunset and the first stars.",
  ];
  paragraph(page, lines, { y: 170, font: text });
  foot(page, 1, text);
}

function drawChart(page: PDFPage, { title, text, bold }: Fonts): void {
  page.drawText("What we saw", { x: MARGIN, y: 742, size: 30, font: title, color: INK });
  paragraph(page, ["Birds on the water each evening. Calm days were the good days."], { y: 708, font: text });
  const base = 420;
  for (const level of [0, 25, 50, 75, 100]) {
    const y = base + level * 2.4;
    page.drawLine({ start: { x: MARGIN, y }, end: { x: A4[0] - MARGIN, y }, thickness: 0.5, color: SAND });
    page.drawText(String(level), { x: MARGIN - 22, y: y - 3, size: 9, font: text, color: SOFT });
  }
  DAYS.forEach(([day, birds, wind], index) => {
    const x = MARGIN + 14 + index * 66;
    page.drawRectangle({ x, y: base, width: 38, height: birds * 2.4, color: SLATE, opacity: 0.85 });
    page.drawCircle({ x: x + 30, y: base + birds * 2.4, size: 4 + wind * 1.6, color: RUST, opacity: 0.45 });
    page.drawText(day.slice(0, 3), { x: x + 8, y: base - 16, size: 10, font: bold, color: SOFT });
  });
  paragraph(
    page,
    ["The circles show the wind: the larger, the stronger. They are transparent, as is some of the truth."],
    {
      y: 372,
      font: text,
    },
  );
  const colors = [SLATE, RUST, SAND];
  colors.forEach((color, index) => {
    page.drawCircle({ x: 250 + index * 48, y: 220 + (index % 2) * 42, size: 72, color, opacity: 0.55 });
  });
  foot(page, 2, text);
}

function drawTable(page: PDFPage, { title, text, bold }: Fonts): void {
  page.drawText("The numbers", { x: MARGIN, y: 742, size: 30, font: title, color: INK });
  const columns = [MARGIN, 280, 420];
  ["Day", "Birds", "Wind in knots"].forEach((head, index) => {
    page.drawText(head, { x: columns[index]!, y: 690, size: 11, font: bold, color: RUST });
  });
  DAYS.forEach((row, index) => {
    const y = 660 - index * 30;
    const rule = { thickness: 0.5, color: SAND };
    page.drawLine({ start: { x: MARGIN, y: y + 19 }, end: { x: A4[0] - MARGIN, y: y + 19 }, ...rule });
    row.forEach((cell, column) => {
      page.drawText(String(cell), { x: columns[column]!, y, size: 13, font: text, color: INK });
    });
  });
  const total = DAYS.reduce((sum, [, birds]) => sum + birds, 0);
  paragraph(page, [`In all: ${total} birds, of which three were certainly the same goose.`], { y: 420, font: text });
  foot(page, 3, text);
}

function paragraph(page: PDFPage, lines: readonly string[], { y, font }: { y: number; font: PDFFont }): void {
  lines.forEach((line, index) => {
    page.drawText(line, { x: MARGIN, y: y - index * 19, size: 12.5, font, color: INK });
  });
}

function foot(page: PDFPage, number: number, font: PDFFont): void {
  page.drawText(`Field notes · ${number}`, { x: MARGIN, y: 40, size: 9, font, color: SOFT });
}
