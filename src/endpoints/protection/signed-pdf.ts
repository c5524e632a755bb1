// Declares /signed-pdf, which signs a PDF.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { SECRET } from "../../document/contract/parameters/text.ts";
import { signPdf } from "../../operations/sign-pdf.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import {
  eitherRequired,
  fieldRequired,
  outOfRange,
  signatureForbidden,
  timeStampFailed,
  unreadableImage,
} from "../../service/http/contract/errors.ts";
import { edgeJob } from "../../service/placement/placement.ts";

const isLogo = (type: string) => /^image\/(jpeg|png|tiff|bmp)$/.test(type);
const PLACE = { bottom_left: { x: 72, y: 72 }, top_right: { x: 288, y: 144 }, page: 1 };

export const signedPdf = defineEndpoint({
  path: "/signed-pdf",
  ...{ verb: "sign", title: "Sign", group: "Protect a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Signs a PDF; earlier signatures stay valid.",
  example: {
    signature_configuration: JSON.stringify({ type: "new", location: PLACE }),
    pfx_credential_file: "signer.p12",
    pfx_passphrase_file: "passphrase.txt",
  },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    logo_file: { kind: "one", description: "a JPEG, PNG, TIFF or BMP", accepts: isLogo, isOptional: true },
  },
  operation: signPdf,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [
    fieldRequired("signature_configuration"),
    eitherRequired("pfx_credential_file", "certificate_file"),
    outOfRange("pfx_passphrase_file", SECRET),
    ...[signatureForbidden(), unreadableImage(), timeStampFailed()],
  ],
  createJob(params, { settings: { timeStampUrl } }) {
    const { pfxCredentialFile: pfx, pfxPassphraseFile, certificateFile: certificate, privateKeyFile } = params;
    const hasPfx = pfx !== undefined || pfxPassphraseFile !== undefined;
    const hasFiles = certificate !== undefined || privateKeyFile !== undefined;
    if (hasPfx === hasFiles) throw eitherRequired("pfx_credential_file", "certificate_file");
    if (hasPfx && pfx === undefined) throw fieldRequired("pfx_credential_file");
    if (hasPfx && pfxPassphraseFile === undefined) throw fieldRequired("pfx_passphrase_file");
    if (hasFiles && certificate === undefined) throw fieldRequired("certificate_file");
    if (hasFiles && privateKeyFile === undefined) throw fieldRequired("private_key_file");
    return edgeJob(signPdf, { ...params, ...(timeStampUrl === undefined ? {} : { timeStampUrl }) });
  },
});
