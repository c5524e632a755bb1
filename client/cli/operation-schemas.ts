// Written by scripts/write-client.ts from the declarations of the endpoints: do not edit.
import type { DeclaredOperation } from "./operation-types.ts";

export const OPERATION_SCHEMAS: readonly DeclaredOperation[] = [
  {
    "name": "bmp",
    "path": "/bmp",
    "summary": "Converts a PDF to BMP files, one per selected page.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": true,
    "produces": "image/bmp",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "pages",
        "required": false,
        "kind": "selection",
        "schema": {
          "type": "string",
          "examples": [
            "1-3,7",
            "last-1"
          ],
          "description": "The pages to convert, in this order.",
          "default": "1-last"
        }
      },
      {
        "name": "resolution",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "integer",
          "minimum": 12,
          "maximum": 2400,
          "description": "Dots per inch.",
          "default": 300
        }
      },
      {
        "name": "color_model",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "rgb",
            "gray"
          ],
          "description": "The color model of the files.",
          "default": "rgb"
        }
      }
    ]
  },
  {
    "name": "compress",
    "path": "/compressed-pdf",
    "summary": "Reduces the file size of a PDF.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": false,
    "produces": "application/pdf",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the file, without extension. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "compression_level",
        "required": true,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "low",
            "medium",
            "high",
            "custom"
          ],
          "description": "low favors fidelity, and high favors a small file; custom uses the settings of the profile."
        }
      },
      {
        "name": "profile",
        "required": false,
        "kind": "json",
        "schema": {
          "type": "string",
          "description": "JSON file with compression settings, at most 1 MB. Required if compression_level is custom, and ignored otherwise."
        }
      },
      {
        "name": "profile_id",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Id of a stored JSON file with compression settings, instead of profile."
        }
      }
    ]
  },
  {
    "name": "flatten",
    "path": "/flattened-transparencies-pdf",
    "summary": "Flattens all transparent objects in a PDF.",
    "variants": [
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": false,
    "produces": "application/pdf",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the file, without extension. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "quality",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "low",
            "medium",
            "high"
          ],
          "description": "low for proofs on black-and-white printers and for the web, medium for desktop proofs and color printers, high for press.",
          "default": "medium"
        }
      }
    ]
  },
  {
    "name": "gif",
    "path": "/gif",
    "summary": "Converts a PDF to GIF files, one per selected page.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": true,
    "produces": "image/gif",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "pages",
        "required": false,
        "kind": "selection",
        "schema": {
          "type": "string",
          "examples": [
            "1-3,7",
            "last-1"
          ],
          "description": "The pages to convert, in this order.",
          "default": "1-last"
        }
      },
      {
        "name": "resolution",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "integer",
          "minimum": 12,
          "maximum": 2400,
          "description": "Dots per inch.",
          "default": 300
        }
      },
      {
        "name": "color_model",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "rgb",
            "gray"
          ],
          "description": "The color model of the files.",
          "default": "rgb"
        }
      }
    ]
  },
  {
    "name": "html",
    "path": "/html",
    "summary": "Saves a string of HTML as an .html file.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "text",
      "description": "HTML, as a field or as a file part.",
      "selectable": false,
      "pdfOnly": false
    },
    "makesSeveral": false,
    "produces": "text/html",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the file, without extension. By default, it is made from the name of the input and the operation."
        }
      }
    ]
  },
  {
    "name": "jpg",
    "path": "/jpg",
    "summary": "Converts a PDF to JPEG files, one per selected page.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": true,
    "produces": "image/jpeg",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "pages",
        "required": false,
        "kind": "selection",
        "schema": {
          "type": "string",
          "examples": [
            "1-3,7",
            "last-1"
          ],
          "description": "The pages to convert, in this order.",
          "default": "1-last"
        }
      },
      {
        "name": "resolution",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "integer",
          "minimum": 12,
          "maximum": 2400,
          "description": "Dots per inch.",
          "default": 300
        }
      },
      {
        "name": "color_model",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "rgb",
            "cmyk",
            "gray"
          ],
          "description": "The color model of the files.",
          "default": "rgb"
        }
      },
      {
        "name": "jpeg_quality",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100,
          "description": "Higher gives better quality and larger files.",
          "default": 75
        }
      }
    ]
  },
  {
    "name": "linearize",
    "path": "/linearized-pdf",
    "summary": "Linearizes a PDF, so that web servers can send it one page at a time.",
    "variants": [
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": false,
    "produces": "application/pdf",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the file, without extension. By default, it is made from the name of the input and the operation."
        }
      }
    ]
  },
  {
    "name": "merge",
    "path": "/merged-pdf",
    "summary": "Merges PDFs, or chosen pages of them, into one PDF.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "several",
      "description": "PDF",
      "selectable": true,
      "pdfOnly": true
    },
    "makesSeveral": false,
    "produces": "application/pdf",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the file, without extension. By default, it is made from the name of the input and the operation."
        }
      }
    ]
  },
  {
    "name": "pdf",
    "path": "/pdf",
    "summary": "Converts a document to PDF.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "Word, Excel, PowerPoint, PostScript or EPS document, HTML, or an image (JPEG, PNG, TIFF, BMP)",
      "selectable": false,
      "pdfOnly": false
    },
    "makesSeveral": false,
    "produces": "application/pdf",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the file, without extension. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "compression",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "lossy",
            "lossless"
          ],
          "description": "Compression of images.",
          "default": "lossy"
        }
      },
      {
        "name": "downsample",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "75",
            "150",
            "300",
            "600",
            "1200",
            "off"
          ],
          "description": "Maximum resolution of images, in dots per inch; off keeps their resolution.",
          "default": "300"
        }
      },
      {
        "name": "tagged_pdf",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "on",
            "off"
          ],
          "description": "Tags the PDF (Office documents and HTML). For HTML, this also adds an outline of the headings.",
          "default": "off"
        }
      },
      {
        "name": "page_size",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "letter",
            "legal",
            "ledger",
            "A3",
            "A4",
            "A5"
          ],
          "description": "Paper (HTML). If web_layout is not sent, a document made for paper keeps its own @page size, unless page_size or page_orientation is sent.",
          "default": "letter"
        }
      },
      {
        "name": "page_margin",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "examples": [
            "1in",
            "12.5mm"
          ],
          "description": "Margin on all sides, in inches or millimeters (HTML); at least 9 points must remain between margins. If web_layout is not sent, a document made for paper keeps its own @page margin, unless page_margin is sent.",
          "default": "1in"
        }
      },
      {
        "name": "page_orientation",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "portrait",
            "landscape"
          ],
          "description": "Orientation of the paper (HTML). If web_layout is not sent, a document made for paper keeps its own @page size, unless page_size or page_orientation is sent.",
          "default": "portrait"
        }
      },
      {
        "name": "web_layout",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "desktop",
            "tablet",
            "mobile"
          ],
          "description": "The device whose layout a page shows, fitted to the width of the paper (HTML). If it is not sent, a document with @page rules or print styles of its own is not fitted: 12pt is 12pt.",
          "default": "desktop"
        }
      }
    ]
  },
  {
    "name": "pdfa",
    "path": "/pdfa",
    "summary": "Converts a PDF to a PDF/A version.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": false,
    "produces": "application/pdf",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the file, without extension. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "output_type",
        "required": true,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "PDF/A-1b",
            "PDF/A-2b",
            "PDF/A-2u",
            "PDF/A-3b",
            "PDF/A-3u"
          ],
          "description": "Version of PDF/A. Level b preserves the appearance; level u also requires Unicode values for all text."
        }
      },
      {
        "name": "rasterize_if_errors_encountered",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "on",
            "off"
          ],
          "description": "Replaces a page that cannot be converted by an image of it.",
          "default": "off"
        }
      }
    ]
  },
  {
    "name": "png",
    "path": "/png",
    "summary": "Converts a PDF to PNG files, one per selected page.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": true,
    "produces": "image/png",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "pages",
        "required": false,
        "kind": "selection",
        "schema": {
          "type": "string",
          "examples": [
            "1-3,7",
            "last-1"
          ],
          "description": "The pages to convert, in this order.",
          "default": "1-last"
        }
      },
      {
        "name": "resolution",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "integer",
          "minimum": 12,
          "maximum": 2400,
          "description": "Dots per inch.",
          "default": 300
        }
      },
      {
        "name": "color_model",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "rgb",
            "rgba",
            "gray"
          ],
          "description": "The color model of the files.",
          "default": "rgb"
        }
      }
    ]
  },
  {
    "name": "split",
    "path": "/split-pdf",
    "summary": "Splits a PDF into one or more PDFs.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": true,
    "produces": "application/pdf",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Prefix of the files' names, without extension; a number from 1 is appended to each. The input's name if left out."
        }
      },
      {
        "name": "pages",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "array",
          "items": {
            "type": "string",
            "examples": [
              "1-3,7",
              "last-1",
              "even",
              "all"
            ]
          },
          "description": "The pages of each file to make; one file for each page if left out."
        }
      }
    ]
  },
  {
    "name": "tif",
    "path": "/tif",
    "summary": "Converts a PDF to TIFF files, one per selected page.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "one",
      "description": "PDF",
      "selectable": false,
      "pdfOnly": true
    },
    "makesSeveral": true,
    "produces": "image/tiff",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the name of the input and the operation."
        }
      },
      {
        "name": "pages",
        "required": false,
        "kind": "selection",
        "schema": {
          "type": "string",
          "examples": [
            "1-3,7",
            "last-1"
          ],
          "description": "The pages to convert, in this order.",
          "default": "1-last"
        }
      },
      {
        "name": "resolution",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "integer",
          "minimum": 12,
          "maximum": 2400,
          "description": "Dots per inch.",
          "default": 300
        }
      },
      {
        "name": "color_model",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "enum": [
            "rgb",
            "rgba",
            "cmyk",
            "lab",
            "gray"
          ],
          "description": "The color model of the files.",
          "default": "rgb"
        }
      }
    ]
  },
  {
    "name": "zip",
    "path": "/zip",
    "summary": "Packs files into a .zip archive.",
    "variants": [
      "private",
      "keyed"
    ],
    "input": {
      "kind": "several",
      "description": "Any file",
      "selectable": false,
      "pdfOnly": false
    },
    "makesSeveral": false,
    "produces": "application/zip",
    "parameters": [
      {
        "name": "output",
        "required": false,
        "kind": "value",
        "schema": {
          "type": "string",
          "description": "Name of the archive, without extension. By default, it is made from the name of the input and the operation."
        }
      }
    ]
  }
];
