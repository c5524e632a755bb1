import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Decodes XML, because Mustang takes every file for UTF-8, and measures its depth. */
final class XmlText {
  private static final Pattern DECLARED =
      Pattern.compile("^(\\s*<\\?xml[^>]*?encoding\\s*=\\s*[\"'])([\\w.:-]+)([\"'])");

  /** Number of bytes that contain the declaration. */
  private static final int DECLARED_WITHIN = 200;

  private static final char BYTE_ORDER_MARK = '\ufeff';

  private XmlText() {}

  /**
   * Decodes XML in the encoding of its byte order mark or declaration, or UTF-8. The result declares UTF-8.
   *
   * @throws CharacterCodingException if bytes are not in the encoding, or the encoding is unknown
   */
  static String decode(byte[] content) throws CharacterCodingException {
    String text = charsetOf(content).newDecoder().decode(ByteBuffer.wrap(content)).toString();
    if (!text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK) text = text.substring(1);
    return DECLARED.matcher(text).replaceFirst("$1UTF-8$3");
  }

  private static Charset charsetOf(byte[] content) throws CharacterCodingException {
    int first = content.length < 2 ? 0 : (content[0] & 0xff) << 8 | content[1] & 0xff;
    if (first == 0xfeff) return StandardCharsets.UTF_16BE;
    if (first == 0xfffe) return StandardCharsets.UTF_16LE;
    String start = new String(content, 0, Math.min(content.length, DECLARED_WITHIN), StandardCharsets.ISO_8859_1);
    Matcher declared = DECLARED.matcher(start.startsWith("\u00ef\u00bb\u00bf") ? "" : start);
    if (!declared.find()) return StandardCharsets.UTF_8;
    try {
      return Charset.forName(declared.group(2));
    } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
      throw new CharacterCodingException();
    }
  }

  /** Reports whether elements are nested more deeply than a limit. Ignores what follows a fault. */
  static boolean isDeeper(String text, int limit) {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    int depth = 0;
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(text));
      while (reader.hasNext()) {
        int event = reader.next();
        if (event == XMLStreamReader.START_ELEMENT && ++depth > limit) return true;
        if (event == XMLStreamReader.END_ELEMENT) depth--;
      }
    } catch (XMLStreamException notWellFormed) {
      return false;
    }
    return false;
  }
}
