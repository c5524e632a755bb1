// Applies the options of a request, whose names are those of the API, to LibreOffice and its documents.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>

#include <string>
#include <vector>

#include "json.hpp"

namespace css = com::sun::star;

namespace zygote {

/** The sheets that a request chooses. */
struct SheetChoice {
  /** Indices of the sheets, from 0; empty if the request chooses none, or the document has no sheets. */
  std::vector<bool> printed;
  /** The first chosen name or number that no sheet has; otherwise empty. */
  std::string unknown;
};

/**
 * Reads `sheets`: names of sheets, or their numbers from 1, separated by line feeds. A name takes precedence over a
 * number.
 */
SheetChoice chosenSheets(const css::uno::Reference<css::lang::XComponent>& document, const JsonObject& request);

/** Applies `sheet_fit`, `headings`, `grid`, `comments` and `page_orientation` to the pages of a spreadsheet. */
void setUpSheets(const css::uno::Reference<css::lang::XComponent>& document, const JsonObject& request);

/** Applies `tracked_changes` to a text document. It must be loaded for editing, because rejecting edits it. */
void resolveChanges(const css::uno::Reference<css::lang::XComponent>& document, const JsonObject& request,
                    const css::uno::Reference<css::uno::XComponentContext>& context);

/** If `comments` is `end`, lists the comments of a text document on further pages. */
void listComments(const css::uno::Reference<css::lang::XComponent>& document, const JsonObject& request);

/** If `refresh_fields` is set, updates the fields and indexes of a text document. */
void refreshFields(const css::uno::Reference<css::lang::XComponent>& document, const JsonObject& request);

/** Applies `locale` to documents that declare none. Must be called before a document is loaded. */
void setLocale(const JsonObject& request, const css::uno::Reference<css::uno::XComponentContext>& context);

}  // namespace zygote
