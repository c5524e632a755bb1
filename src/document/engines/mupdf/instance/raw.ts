// Declares the exports of MuPDF's module that the other files use, under the names of its glue code. Pointers are
// numbers. Callers free memory and catch errors.

export type Pointer = number;

export interface MupdfExports {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  readonly HEAPF32: Float32Array;
  UTF8ToString(text: Pointer): string;
  stringToUTF8(text: string, target: Pointer, size: number): void;
  lengthBytesUTF8(text: string): number;

  _wasm_init_context(): void;
  _wasm_enable_icc(): void;
  _wasm_enable_log_callback(enabled: number): void;
  _wasm_malloc(size: number): Pointer;
  _wasm_free(memory: Pointer): void;
  _wasm_empty_store(): void;

  _wasm_new_stream(id: number): Pointer;
  _wasm_drop_stream(stream: Pointer): void;
  _wasm_open_document_with_stream(magic: Pointer, stream: Pointer): Pointer;
  _wasm_drop_document(document: Pointer): void;
  _wasm_pdf_document_from_fz_document(document: Pointer): Pointer;
  _wasm_pdf_disable_js(document: Pointer): void;
  _wasm_needs_password(document: Pointer): number;
  /** Returns 0 for a wrong password; otherwise bits: 2 for the open password, 4 for the permissions password. */
  _wasm_authenticate_password(document: Pointer, password: Pointer): number;
  _wasm_count_pages(document: Pointer): number;
  _wasm_pdf_lookup_page_obj(document: Pointer, index: number): Pointer;

  /** Without the cache, the list of pages, each page is searched in the tree. */
  _wasm_pdf_set_page_tree_cache(document: Pointer, enabled: number): void;

  _wasm_pdf_trailer(document: Pointer): Pointer;
  _wasm_pdf_xref_len(document: Pointer): number;
  /** Returns the version times ten: 17 for 1.7. */
  _wasm_pdf_version(document: Pointer): number;
  _wasm_pdf_was_repaired(document: Pointer): number;
  _wasm_pdf_new_indirect(document: Pointer, number: number): Pointer;
  /** Returns a borrowed pointer; 0 for a missing object. */
  _wasm_pdf_resolve_indirect(reference: Pointer): Pointer;
  _wasm_pdf_is_indirect(object: Pointer): number;
  _wasm_pdf_is_stream(reference: Pointer): number;
  _wasm_pdf_is_string(object: Pointer): number;
  _wasm_pdf_is_bool(object: Pointer): number;
  _wasm_pdf_is_int(object: Pointer): number;
  _wasm_pdf_is_dict(object: Pointer): number;
  _wasm_pdf_is_array(object: Pointer): number;
  _wasm_pdf_is_name(object: Pointer): number;
  _wasm_pdf_is_number(object: Pointer): number;
  _wasm_pdf_to_name(object: Pointer): Pointer;
  /** Returns the value rounded to a 32-bit float, even for integers. */
  _wasm_pdf_to_real(object: Pointer): number;
  _wasm_pdf_to_bool(object: Pointer): number;
  /** Returns borrowed bytes, and writes their number to `size`. */
  _wasm_pdf_to_string(object: Pointer, size: Pointer): Pointer;
  /** Returns borrowed text in UTF-8. */
  _wasm_pdf_to_text_string(object: Pointer): Pointer;
  /** Returns the serialized object, which the caller must free. */
  _wasm_pdf_sprint_obj(object: Pointer, tight: number, ascii: number): Pointer;
  _wasm_pdf_to_num(object: Pointer): number;
  /** @param index in the document's list of groups */
  _wasm_pdf_enable_layer(document: Pointer, index: number, enabled: number): void;
  _wasm_pdf_keep_obj(object: Pointer): Pointer;
  _wasm_pdf_drop_obj(object: Pointer): void;
  _wasm_pdf_new_bool(value: number): Pointer;
  _wasm_pdf_new_real(value: number): Pointer;
  _wasm_pdf_new_string(bytes: Pointer, size: number): Pointer;
  _wasm_pdf_new_int(value: number): Pointer;
  _wasm_pdf_new_name(text: Pointer): Pointer;
  _wasm_pdf_new_dict(document: Pointer, capacity: number): Pointer;
  _wasm_pdf_new_array(document: Pointer, capacity: number): Pointer;
  _wasm_pdf_array_len(array: Pointer): number;
  /** Returns a borrowed pointer, like all functions that read a container. */
  _wasm_pdf_array_get(array: Pointer, index: number): Pointer;
  _wasm_pdf_array_push(array: Pointer, value: Pointer): void;
  _wasm_pdf_dict_len(dictionary: Pointer): number;
  _wasm_pdf_dict_get_key(dictionary: Pointer, index: number): Pointer;
  _wasm_pdf_dict_get_val(dictionary: Pointer, index: number): Pointer;
  _wasm_pdf_dict_gets_inheritable(dictionary: Pointer, key: Pointer): Pointer;
  _wasm_pdf_dict_gets(dictionary: Pointer, key: Pointer): Pointer;
  _wasm_pdf_dict_puts(dictionary: Pointer, key: Pointer, value: Pointer): void;
  _wasm_pdf_dict_dels(dictionary: Pointer, key: Pointer): void;

  /** Returns a buffer that the caller must drop. */
  _wasm_pdf_load_raw_stream(reference: Pointer): Pointer;
  _wasm_pdf_load_stream(reference: Pointer): Pointer;
  _wasm_buffer_get_data(buffer: Pointer): Pointer;
  _wasm_buffer_get_len(buffer: Pointer): number;
  _wasm_drop_buffer(buffer: Pointer): void;
  /** Takes ownership of the bytes, which must come from `_wasm_malloc`. */
  _wasm_new_buffer_from_data(bytes: Pointer, size: number): Pointer;
  /** Returns the number of a new object, which is null until it is updated. */
  _wasm_pdf_create_object(document: Pointer): number;
  _wasm_pdf_update_object(document: Pointer, number: number, object: Pointer): void;
  _wasm_pdf_update_stream(document: Pointer, reference: Pointer, buffer: Pointer, isFiltered: number): void;

  _wasm_load_page(document: Pointer, index: number): Pointer;
  _wasm_drop_page(page: Pointer): void;
  _wasm_bound_page(page: Pointer, box: number): Pointer;
  _wasm_pdf_page_from_fz_page(page: Pointer): Pointer;
  /** Like the four functions below, returns a pointer borrowed from the page; 0 after the last annotation. */
  _wasm_pdf_first_annot(page: Pointer): Pointer;
  _wasm_pdf_next_annot(annotation: Pointer): Pointer;
  _wasm_pdf_first_widget(page: Pointer): Pointer;
  _wasm_pdf_next_widget(widget: Pointer): Pointer;
  _wasm_pdf_annot_obj(annotation: Pointer): Pointer;
  /** Returns borrowed text. */
  _wasm_pdf_annot_contents(annotation: Pointer): Pointer;
  _wasm_pdf_set_annot_contents(annotation: Pointer, text: Pointer): void;
  /** Creates the appearance of a changed annotation. */
  _wasm_pdf_update_annot(annotation: Pointer): number;
  /** Returns the matrix that maps user space to the space of the page bounds. It is valid until the next call. */
  _wasm_pdf_page_transform(page: Pointer): Pointer;
  _wasm_pdf_create_annot(page: Pointer, type: number): Pointer;
  /** @param quad 8 values in the space of the page bounds, see {@link _wasm_stext_char_get_quad} */
  _wasm_pdf_add_annot_quad_point(annotation: Pointer, quad: Pointer): void;
  _wasm_pdf_drop_annot(annotation: Pointer): void;
  /**
   * Removes what the Redact annotations of a page cover, and these annotations.
   * @param images 2 clears the covered pixels
   * @param lineArt 1 removes covered paths, 0 none
   * @param text 0 removes glyphs whose line box touches a quadrilateral, 1 none
   */
  _wasm_pdf_redact_page(page: Pointer, blackBoxes: number, images: number, lineArt: number, text: number): number;
  /** Returns a buffer that the caller must drop. */
  _wasm_pdf_write_document_buffer(document: Pointer, options: Pointer): Pointer;
  _wasm_run_page_contents(page: Pointer, device: Pointer, matrix: Pointer): void;
  _wasm_run_page_annots(page: Pointer, device: Pointer, matrix: Pointer): void;
  _wasm_run_page_widgets(page: Pointer, device: Pointer, matrix: Pointer): void;

  _wasm_new_display_list(bounds: Pointer): Pointer;
  _wasm_drop_display_list(list: Pointer): void;
  _wasm_run_display_list(list: Pointer, device: Pointer, matrix: Pointer): void;
  _wasm_new_display_list_device(list: Pointer): Pointer;
  _wasm_new_stext_page_from_display_list(list: Pointer, options: Pointer): Pointer;
  _wasm_new_stext_page_from_page(page: Pointer, options: Pointer): Pointer;
  _wasm_drop_stext_page(text: Pointer): void;
  /** Blocks, lines and characters are linked lists that end with 0. */
  _wasm_stext_page_get_first_block(text: Pointer): Pointer;
  _wasm_stext_block_get_next(block: Pointer): Pointer;
  /** Returns 0 for a text block. */
  _wasm_stext_block_get_type(block: Pointer): number;
  _wasm_stext_block_get_first_line(block: Pointer): Pointer;
  _wasm_stext_line_get_next(line: Pointer): Pointer;
  _wasm_stext_line_get_dir(line: Pointer): Pointer;
  /** @returns 0 for horizontal lines, 1 for vertical ones */
  _wasm_stext_line_get_wmode(line: Pointer): number;
  _wasm_stext_line_get_first_char(line: Pointer): Pointer;
  _wasm_stext_char_get_next(char: Pointer): Pointer;
  _wasm_stext_char_get_c(char: Pointer): number;
  _wasm_stext_char_get_origin(char: Pointer): Pointer;
  _wasm_stext_char_get_size(char: Pointer): number;
  /** Returns a pointer to 8 values: the upper left, upper right, lower left and lower right corner. */
  _wasm_stext_char_get_quad(char: Pointer): Pointer;
  /** Returns a borrowed pointer. */
  _wasm_stext_char_get_font(char: Pointer): Pointer;
  /** Returns opacity, red, green and blue as a signed number. */
  _wasm_stext_char_get_argb(char: Pointer): number;
  /** Returns a pointer to 4 values, like the rectangles below. */
  _wasm_stext_block_get_bbox(block: Pointer): Pointer;
  _wasm_stext_block_get_v_flags(block: Pointer): number;
  _wasm_stext_block_get_v_argb(block: Pointer): number;
  /** Returns a linked list, which the caller must drop; 0 without links. */
  _wasm_load_links(page: Pointer): Pointer;
  _wasm_drop_link(link: Pointer): void;
  _wasm_link_get_next(link: Pointer): Pointer;
  _wasm_link_get_rect(link: Pointer): Pointer;
  /** Returns borrowed text. */
  _wasm_link_get_uri(link: Pointer): Pointer;
  /** Returns a pointer to a destination that the next call overwrites. Its page is negative if there is none. */
  _wasm_resolve_link_dest(document: Pointer, uri: Pointer): Pointer;
  _wasm_link_dest_get_page(destination: Pointer): number;
  _wasm_link_dest_get_x(destination: Pointer): number;
  _wasm_link_dest_get_y(destination: Pointer): number;
  /** Returns the first item, which the caller must drop; 0 without an outline. */
  _wasm_load_outline(document: Pointer): Pointer;
  _wasm_drop_outline(outline: Pointer): void;
  _wasm_outline_get_next(item: Pointer): Pointer;
  _wasm_outline_get_down(item: Pointer): Pointer;
  /** Like the address, borrowed text; 0 if there is none. */
  _wasm_outline_get_title(item: Pointer): Pointer;
  _wasm_outline_get_uri(item: Pointer): Pointer;
  /** Returns borrowed text. */
  _wasm_font_get_name(font: Pointer): Pointer;
  _wasm_font_is_bold(font: Pointer): number;
  _wasm_font_is_italic(font: Pointer): number;
  _wasm_font_is_monospaced(font: Pointer): number;
  _wasm_new_font_from_buffer(name: Pointer, buffer: Pointer, index: number): Pointer;
  _wasm_keep_font(font: Pointer): Pointer;
  _wasm_new_draw_device(matrix: Pointer, pixmap: Pointer): Pointer;
  _wasm_close_device(device: Pointer): void;
  _wasm_drop_device(device: Pointer): void;

  _wasm_device_gray(): Pointer;
  _wasm_device_rgb(): Pointer;
  _wasm_device_cmyk(): Pointer;
  _wasm_device_lab(): Pointer;
  /** @param name 0 for the name in the profile */
  _wasm_new_icc_colorspace(name: Pointer, profile: Pointer): Pointer;
  _wasm_keep_colorspace(colorspace: Pointer): Pointer;
  _wasm_drop_colorspace(colorspace: Pointer): void;
  /** Returns the number of components. */
  _wasm_colorspace_get_n(colorspace: Pointer): number;
  _wasm_pdf_load_image(document: Pointer, reference: Pointer): Pointer;
  /** Returns a borrowed pointer. */
  _wasm_image_get_colorspace(image: Pointer): Pointer;
  _wasm_drop_image(image: Pointer): void;
  /** Returns the decoded image in its own color space; the caller must drop it. */
  _wasm_get_pixmap_from_image(image: Pointer): Pointer;
  _wasm_pixmap_get_w(pixmap: Pointer): number;
  _wasm_pixmap_get_h(pixmap: Pointer): number;
  /** Returns the number of components, including alpha. */
  _wasm_pixmap_get_n(pixmap: Pointer): number;
  _wasm_pixmap_get_alpha(pixmap: Pointer): number;
  _wasm_new_pixmap_with_bbox(colorspace: Pointer, bounds: Pointer, alpha: number): Pointer;
  _wasm_drop_pixmap(pixmap: Pointer): void;
  _wasm_clear_pixmap(pixmap: Pointer): void;
  _wasm_clear_pixmap_with_value(pixmap: Pointer, value: number): void;
  _wasm_convert_pixmap(pixmap: Pointer, colorspace: Pointer, keepAlpha: number): Pointer;
  _wasm_pixmap_get_samples(pixmap: Pointer): Pointer;
  _wasm_pixmap_get_stride(pixmap: Pointer): number;
}

/** Callbacks from the glue code, one object per engine. */
export interface MupdfHooks {
  log_error(text: Pointer): void;
  log_warning(text: Pointer): void;
  load_font_file(name: Pointer, script: Pointer, bold: number, italic: number): Pointer;
  stm_read(id: number, position: number, target: Pointer, size: number): number;
  stm_seek(id: number, position: number, offset: number, whence: number): number;
  stm_close(id: number): void;
}
