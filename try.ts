import { writeFileSync, readFileSync } from "node:fs";
import { openPdf } from "./src/document/pages/open-pdf.ts";
import { writeFile } from "./src/document/objects/writer.ts";
import { Overlay } from "./src/document/pages/overlay.ts";
import { Typesetter } from "./src/document/typesetting/typesetter.ts";
import { requestedFont } from "./src/document/typesetting/requested-font.ts";
import { localTypefaces } from "./src/operations/container-only/local-typefaces.ts";
import { systemFonts } from "./container/fonts/system-fonts.ts";
const TEXTS: Record<string,string> = {
 latin:"Grüße: Łódź, fi ffl, naïve café Việt Nam", decomposed: "Việt e\u0301 a\u0308", greek:"Καλημέρα κόσμε", cyrillic:"Съешь ещё этих мягких булок", arabic:"مرحبا بالعالم، لا إله ١٢٣", vocalized:"بِسْمِ ٱللَّٰهِ الرَّحْمَٰنِ", hebrew:"שלום עולם (123) abc", niqqud:"בְּרֵאשִׁית בָּרָא", devanagari:"नमस्ते दुनिया क्षत्रिय हिन्दी", bengali:"আমার সোনার বাংলা", tamil:"வணக்கம் உலகம்", telugu:"నమస్కారం ప్రపంచం", kannada:"ನಮಸ್ಕಾರ ಪ್ರಪಂಚ", malayalam:"നമസ്കാരം ലോകം", gujarati:"નમસ્તે દુનિયા", gurmukhi:"ਸਤ ਸ੍ਰੀ ਅਕਾਲ", sinhala:"ආයුබෝවන් ලෝකය", thai:"สวัสดีชาวโลก ที่นี่", lao:"ສະບາຍດີ", khmer:"សួស្តី​ពិភពលោក", myanmar:"မင်္ဂလာပါ", tibetan:"བཀྲ་ཤིས་བདེ་ལེགས", georgian:"გამარჯობა მსოფლიო", armenian:"Բարեւ աշխարհ", ethiopic:"ሰላም ልዑል", chinese:"今天天气很好，机密文件", traditional:"臺灣繁體中文", japanese:"こんにちは世界、カタカナ", korean:"안녕하세요 세계", emoji:"Smile 😀👨‍👩‍👧🇩🇪👍🏽❤️1️⃣ end", symbols:"→ ★ ☎ ∑ √ ♞ €", mixed:"Hello שלום 中文 नमस्ते 😀 done", urdu:"اردو زبان", astral:"𐌰𐌹𐌽 𝒜𝓑"
};
const pdf0 = readFileSync("/tmp/blank.pdf");
const ctx={heapLimitBytes: 88<<20, signal:new AbortController().signal};
const t0=performance.now();
const pdf = await openPdf(new Uint8Array(pdf0), ctx as never);
const setter = await Typesetter.open(pdf, localTypefaces(systemFonts), Object.values(TEXTS));
const overlay=new Overlay(pdf.file);
let y=800;
for (const [name,text] of Object.entries(TEXTS)) {
  const t=performance.now();
  const {reference,block}=await setter.add({text,fontName:"Arial",font:requestedFont("Arial")!,size:16,color:[0,0,0],opacity:1,maxWidth:500},ctx.signal);
  y -= block.ascent+block.descent; 
  overlay.draw(1,reference,[1,0,0,1,40,y+block.descent]);
  console.log(name,(performance.now()-t).toFixed(0),"ms", block.lines.length);
}
overlay.finish();
console.log(setter.finish());
const chunks=[]; for await (const c of writeFile(pdf.file) as never) chunks.push(Buffer.from(c));
writeFileSync("/tmp/out.pdf",Buffer.concat(chunks)); console.log(Buffer.concat(chunks).length,(performance.now()-t0).toFixed(0));
writeFileSync("/tmp/texts.json",JSON.stringify(TEXTS));
