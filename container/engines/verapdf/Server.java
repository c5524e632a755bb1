import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.LogManager;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.verapdf.containers.StaticCoreContainers;
import org.verapdf.core.EncryptedPdfException;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.gf.model.impl.containers.StaticContainers;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;
import org.verapdf.pdfa.validation.profiles.Rule;
import org.verapdf.pdfa.validation.profiles.RuleId;
import org.verapdf.tools.StaticResources;
import org.verapdf.xmp.containers.StaticXmpCoreContainers;

/**
 * Keeps veraPDF running and validates one file at a time. Each request and each response is one line of JSON.
 * engines/verapdf/verapdf.ts sends the requests.
 *
 * Request: {"path","flavour"}, with a flavour such as "2b". Response at the start: {"ready":true,"version","startMs"}.
 * Response to a request: {"valid","failures":[{"specification","clause","test","description","count",
 * "places":[{"pageNumber","objectNumber","context"}]}]} or {"failed","detail"}, where failed is password, damaged or
 * complex. Once a second: {"alive":true}. When memory runs out, the process exits (-XX:+ExitOnOutOfMemoryError).
 */
final class Server {
  /** Maximum number of failures of one rule that are examined. */
  private static final int PLACES_SEEN = 10_000;

  /**
   * Maximum number of different locations that are reported for one rule. Beyond it, only the first location on each
   * page is reported.
   */
  private static final int PLACES_TOLD = 1_000;

  /** Stack of the validating thread. Large, because documents can be nested to any depth. */
  private static final long STACK_BYTES = 256L << 20;

  private static final int LONGEST_TEXT = 500;

  private static final long SIGN_OF_LIFE_MS = 1_000;

  /** Page index in the location of a failure, from 0. */
  private static final Pattern PAGE = Pattern.compile("/pages\\[(\\d{1,9})\\]");

  /** Object number in the location of a failure. The last match is the nearest object. */
  private static final Pattern OBJECT = Pattern.compile("\\((\\d{1,9}) \\d+ obj ");

  /**
   * Index in a location. Locations that differ only in an index count as one: a loop would otherwise cause thousands of
   * reports.
   */
  private static final Pattern INDEX = Pattern.compile("\\[\\d+");

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * One thread per flavour. veraPDF compiles its rules to bytecode for each thread, which takes longer than validating
   * a small file. It caches them by name, and a name means different rules in different flavours.
   */
  private static final Map<String, ExecutorService> THREADS = new HashMap<>();

  private Server() {}

  /** @param arguments a PDF that conforms to PDF/A-2b, for the self-test */
  public static void main(String[] arguments) throws Exception {
    long started = System.currentTimeMillis();
    PrintStream answers = System.out;
    // Libraries must not print to standard output, which carries the responses.
    System.setOut(System.err);
    LogManager.getLogManager().reset();
    VeraGreenfieldFoundryProvider.initialise();
    String obstacle = selfTest(arguments[0]);
    ObjectNode ready = JSON.createObjectNode().put("ready", obstacle.isEmpty());
    if (!obstacle.isEmpty()) {
      say(answers, ready.put("reason", obstacle));
      System.exit(3);
    }
    ready.put("version", Foundries.defaultInstance().getDetails().getVersion());
    say(answers, ready.put("startMs", System.currentTimeMillis() - started));
    showSignsOfLife(answers);
    serve(answers);
  }

  private static void showSignsOfLife(PrintStream answers) {
    Thread thread =
        new Thread(
            () -> {
              try {
                for (; ; Thread.sleep(SIGN_OF_LIFE_MS)) say(answers, JSON.createObjectNode().put("alive", true));
              } catch (IOException | InterruptedException over) {
                // The reader has closed the pipe.
              }
            },
            "signs of life");
    thread.setDaemon(true);
    thread.start();
  }

  private static void serve(PrintStream answers) throws IOException, InterruptedException {
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      JsonNode request = JSON.readTree(line);
      say(answers, answer(request.path("path").asText(), request.path("flavour").asText()));
    }
  }

  private static void say(PrintStream answers, ObjectNode answer) throws IOException {
    byte[] line = (answer + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (answers) {
      answers.write(line);
      answers.flush();
    }
  }

  /** Tests that the rules of each level are applied: the sample conforms only to 2b. */
  private static String selfTest(String sample) throws InterruptedException {
    for (String flavour : new String[] {"1b", "2b", "2u", "3b", "3u"}) {
      ObjectNode answer = answer(sample, flavour);
      if (!answer.has("valid")) return flavour + ": " + answer;
      if (answer.get("valid").asBoolean() != flavour.equals("2b")) return flavour + " is told wrong: " + answer;
    }
    return "";
  }

  /** Handles a request. Never throws, regardless of the content of the file. */
  private static ObjectNode answer(String path, String flavour) throws InterruptedException {
    ExecutorService thread = THREADS.computeIfAbsent(flavour, name -> Executors.newSingleThreadExecutor(Server::deep));
    ObjectNode answer;
    try {
      answer = thread.submit(() -> validated(new File(path), flavour)).get();
    } catch (ExecutionException broken) {
      answer = failed("damaged", broken.toString());
    }
    // A failed validation can leave state in the thread.
    if (!answer.has("valid")) THREADS.remove(flavour).shutdown();
    return answer;
  }

  private static Thread deep(Runnable work) {
    Thread thread = new Thread(null, work, "validation", STACK_BYTES);
    thread.setDaemon(true);
    return thread;
  }

  private static ObjectNode validated(File file, String name) {
    PDFAFlavour flavour = PDFAFlavour.fromString(name);
    // Disables messages. They are unused, and some fail in level 1 (`"BM" is not defined`).
    try (PDFAParser parser = Foundries.defaultInstance().createParser(file, flavour);
        PDFAValidator validator =
            Foundries.defaultInstance().createValidator(flavour, PLACES_SEEN, false, false, false)) {
      return toJson(validator.validate(parser));
    } catch (EncryptedPdfException locked) {
      return failed("password", String.valueOf(locked.getMessage()));
    } catch (StackOverflowError tooDeep) {
      return failed("complex", "nested too deeply");
    } catch (Exception broken) {
      return failed("damaged", broken.toString());
    } finally {
      // Otherwise, the thread would keep the document in memory until it validates the next one.
      StaticContainers.clearAllContainers();
      StaticCoreContainers.clearAllContainers();
      StaticResources.clear();
      StaticXmpCoreContainers.clearAllContainers();
    }
  }

  private static ObjectNode failed(String how, String detail) {
    return JSON.createObjectNode().put("failed", how).put("detail", shortened(detail));
  }

  private static ObjectNode toJson(ValidationResult result) {
    Map<RuleId, Failure> failures = new LinkedHashMap<>();
    for (TestAssertion assertion : result.getTestAssertions()) {
      if (assertion.getStatus() != TestAssertion.Status.FAILED) continue;
      failures.computeIfAbsent(assertion.getRuleId(), rule -> new Failure()).add(assertion.getLocation().getContext());
    }
    ObjectNode json = JSON.createObjectNode().put("valid", result.isCompliant());
    ArrayNode list = json.putArray("failures");
    failures.forEach(
        (rule, failure) -> {
          Rule known = result.getValidationProfile().getRuleByRuleId(rule);
          ObjectNode told = failure.toJson(rule);
          told.put("specification", rule.getSpecification().getId()).put("description", known.getDescription());
          list.add(told.put("count", result.getFailedChecks().get(rule)));
        });
    return json;
  }

  /** Removes the middle of a long location, because its start and end are more specific. */
  private static String shortened(String text) {
    int half = LONGEST_TEXT / 2;
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, half) + "…" + text.substring(text.length() - half);
  }

  /** Locations at which one rule fails. */
  private static final class Failure {
    private final Set<Integer> pages = new HashSet<>();
    private final Set<String> told = new HashSet<>();
    private final ArrayNode places = JSON.createArrayNode();

    void add(String place) {
      String context = String.valueOf(place);
      Integer page = number(PAGE, context);
      Integer object = number(OBJECT, context);
      boolean isFirstOfPage = page != null && pages.add(page);
      boolean isNew = told.size() < PLACES_TOLD && told.add(INDEX.matcher(context).replaceAll("["));
      if (!isFirstOfPage && !isNew) return;
      ObjectNode json = places.addObject();
      if (page != null) json.put("pageNumber", page + 1);
      if (object != null) json.put("objectNumber", object);
      json.put("context", shortened(context));
    }

    /** Returns the last number that the pattern finds. */
    private static Integer number(Pattern pattern, String text) {
      Integer last = null;
      for (Matcher matcher = pattern.matcher(text); matcher.find(); ) last = Integer.valueOf(matcher.group(1));
      return last;
    }

    ObjectNode toJson(RuleId rule) {
      ObjectNode json = JSON.createObjectNode().put("clause", rule.getClause()).put("test", rule.getTestNumber());
      json.set("places", places);
      return json;
    }
  }
}
