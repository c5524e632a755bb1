// Shows the data that an operation returns instead of files, with one row for each member.
import { labelOf } from "../../model/format.ts";

export function Data({ data }: { data: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="data" aria-label="Answer">
      {Object.entries(data).map(([name, value]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>{wordsOf(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function wordsOf(value: unknown) {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (value === null || value === "") return "–";
  return typeof value === "object" ? <pre>{JSON.stringify(value, null, 2)}</pre> : String(value);
}
