import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.logging.LogManager;
import org.mustangproject.validator.EPart;
import org.mustangproject.validator.ESeverity;
import org.mustangproject.validator.IrrecoverableValidationError;
import org.mustangproject.validator.PDFValidator;
import org.mustangproject.validator.ValidationContext;
import org.mustangproject.validator.ValidationResultItem;
import org.mustangproject.validator.XMLValidator;

/**
 * Validates one invoice with Mustang, and prints the result in JSON. engines/mustang/mustang.ts starts it.
 *
 * <p>Arguments: path of a file, and pdf or xml. Result: {"valid","guideline","syntax","hasInvoice","findings":[{"part",
 * "severity","rule","message","location","test"}]}. Members without a value are missing. When memory runs out, the
 * process exits (-XX:+ExitOnOutOfMemoryError).
 */
final class Validate {
  /** Maximum number of findings in the result. Errors come first. */
  private static final int FINDINGS_TOLD = 1_000;

  private static final int LONGEST_TEXT = 1_000;

  /** Stack of the validating thread. Large, because documents can be nested deeply. */
  private static final long STACK_BYTES = 256L << 20;

  /** Maximum depth of elements. Rules take minutes for deeper ones, while invoices have fewer than 20 levels. */
  private static final int DEEPEST = 200;

  /** Exit code if the validation ends by an exception. */
  private static final int FAILED = 1;

  /** Exit code if the file cannot be validated, because it is nested too deeply. */
  private static final int TOO_DEEP = 4;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ValidationContext context = new ValidationContext(null);
  private final ArrayNode errors = JSON.createArrayNode();
  private final ArrayNode others = JSON.createArrayNode();
  private boolean isValid = true;
  private boolean hasInvoice = true;

  private Validate() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream result = System.out;
    // Libraries must not print to standard output, which carries the result.
    System.setOut(System.err);
    LogManager.getLogManager().reset();
    byte[] content = Files.readAllBytes(Path.of(arguments[0]));
    boolean isPdf = arguments[1].equals("pdf");
    Validate validation = new Validate();
    int[] exitCode = {FAILED};
    Runnable work =
        () -> {
          try {
            validation.run(content, isPdf);
            exitCode[0] = 0;
          } catch (StackOverflowError tooDeep) {
            exitCode[0] = TOO_DEEP;
          }
        };
    Thread thread = new Thread(null, work, "validation", STACK_BYTES);
    thread.start();
    thread.join();
    if (exitCode[0] == 0) result.write((validation.toJson() + "\n").getBytes(StandardCharsets.UTF_8));
    result.flush();
    System.exit(exitCode[0]);
  }

  private void run(byte[] content, boolean isPdf) {
    String invoice = isPdf ? validatePdf(content) : textOf(content);
    if (invoice == null || invoice.isBlank()) {
      hasInvoice = false;
      isValid = false;
      return;
    }
    if (XmlText.isDeeper(invoice, DEEPEST)) throw new StackOverflowError("nested too deeply");
    XMLValidator validator = new XMLValidator(context);
    validator.setStringContent(invoice);
    attempt(validator::validate, EPart.fx);
  }

  /** Returns the text of a file; an empty one, with a finding, if it is not in its encoding. */
  private String textOf(byte[] content) {
    try {
      return XmlText.decode(content);
    } catch (CharacterCodingException wrong) {
      add(new ValidationResultItem(ESeverity.error, "The XML is not in the encoding that it declares, or UTF-8."), EPart.fx);
      return "";
    }
  }

  /** Returns the invoice in a PDF; null if there is none. */
  private String validatePdf(byte[] content) {
    PDFValidator validator = new PDFValidator(context);
    validator.setFilenameAndContents("invoice.pdf", content);
    attempt(validator::validate, EPart.pdf);
    return validator.getRawXML();
  }

  private interface Step {
    void run() throws IrrecoverableValidationError;
  }

  /** Runs a validator, and collects its findings. */
  private void attempt(Step step, EPart part) {
    try {
      step.run();
    } catch (IrrecoverableValidationError ended) {
      // The last finding is the reason.
    } catch (RuntimeException unexpected) {
      add(new ValidationResultItem(ESeverity.error, "The validator stopped: " + unexpected), part);
      isValid = false;
    }
    List<ValidationResultItem> found = context.getResults();
    for (ValidationResultItem item : found) add(item, part);
    isValid &= context.isValid();
    context.clear();
  }

  private void add(ValidationResultItem item, EPart part) {
    boolean isError = item.getSeverity() != ESeverity.notice && item.getSeverity() != ESeverity.warning;
    ArrayNode list = isError ? errors : others;
    if (errors.size() + others.size() >= FINDINGS_TOLD) return;
    ObjectNode json = list.addObject();
    json.put("part", part == EPart.pdf ? "pdf" : "xml");
    json.put("severity", isError ? "error" : item.getSeverity().name().toLowerCase(Locale.ROOT));
    String id = item.getID();
    if (id != null && !id.isEmpty()) json.put("rule", id);
    json.put("message", shortened(plain(String.valueOf(item.getMessage()), id)));
    if (item.getLocation() != null) json.put("location", shortened(item.getLocation()));
  }

  /** Removes what Mustang adds to the message of a rule: the rule, and the name of its file. */
  private static String plain(String message, String id) {
    String text = message.replaceAll("\\s+from /xslt/\\S+\\)$", "");
    if (id == null || id.isEmpty()) return text.strip();
    return text.replace("[ID " + id + "]", "").replaceFirst("^\\s*\\[" + java.util.regex.Pattern.quote(id) + "\\][\\s-]*", "").strip();
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  private ObjectNode toJson() {
    ObjectNode json = JSON.createObjectNode().put("valid", isValid).put("hasInvoice", hasInvoice);
    if (context.getProfile() != null) json.put("guideline", shortened(context.getProfile()));
    if (hasInvoice) json.put("syntax", context.getFormat());
    json.putArray("findings").addAll(errors).addAll(others);
    return json;
  }
}
