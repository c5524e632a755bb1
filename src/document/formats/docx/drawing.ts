// Writes pictures in text (ECMA-376 part 1, 20.4).
import { emus, xmlText } from "./xml-text.ts";

export interface Picture {
  /** Number of the picture in the document, from 1. */
  readonly number: number;
  /** Identifier of the relationship. */
  readonly id: string;
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly alternateText?: string | undefined;
  /** Place on the page from its upper left corner, with text around it or in front of it. @default in the line of text */
  readonly place?: { readonly left: number; readonly top: number; readonly isBehind?: boolean } | undefined;
}

const DRAWINGML = "http://schemas.openxmlformats.org/drawingml/2006";

export function pictureXml({ number, id, width, height, alternateText = "", place }: Picture): string {
  const size = `cx="${Math.max(1, emus(width))}" cy="${Math.max(1, emus(height))}"`;
  const about = `<wp:docPr id="${number}" name="Picture ${number}" descr="${xmlText(alternateText)}"/>`;
  const graphic = [
    `<a:graphic xmlns:a="${DRAWINGML}/main"><a:graphicData uri="${DRAWINGML}/picture"><pic:pic xmlns:pic="${DRAWINGML}/picture">`,
    `<pic:nvPicPr><pic:cNvPr id="${number}" name="Picture ${number}"/><pic:cNvPicPr/></pic:nvPicPr>`,
    `<pic:blipFill><a:blip r:embed="${id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`,
    `<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${size}/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>`,
    "</pic:pic></a:graphicData></a:graphic>",
  ].join("");
  const frame = `<wp:cNvGraphicFramePr/>${graphic}`;
  if (!place) {
    return `<w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent ${size}/>${about}${frame}</wp:inline></w:drawing>`;
  }
  const at = (axis: "H" | "V", points: number) =>
    `<wp:position${axis} relativeFrom="page"><wp:posOffset>${emus(points)}</wp:posOffset></wp:position${axis}>`;
  return [
    '<w:drawing><wp:anchor distT="0" distB="0" distL="76200" distR="76200" simplePos="0" relativeHeight="1"',
    ` behindDoc="${place.isBehind ? 1 : 0}" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>`,
    `${at("H", place.left)}${at("V", place.top)}<wp:extent ${size}/>${place.isBehind ? "<wp:wrapNone/>" : '<wp:wrapSquare wrapText="bothSides"/>'}`,
    `${about}${frame}</wp:anchor></w:drawing>`,
  ].join("");
}
