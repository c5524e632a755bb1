// The editor for a JSON file of settings. It contains examples, a control for each setting, and the text of the file.
import { labelOf } from "../../model/format.ts";
import type { FormField } from "../../model/operations.ts";
import {
  faultsOfJson,
  groupsOf,
  type ProfileFault,
  parsed,
  type Setting,
  type SettingGroup,
  unknownKeys,
  valueAt,
  withValue,
} from "../../model/profile.ts";
import { PROFILE_EXAMPLES } from "../../model/profile-examples.ts";

interface ProfileEditorProps {
  readonly id: string;
  readonly field: FormField;
  readonly text: string;
  /** IDs of the elements that describe the control (`aria-describedby`). */
  readonly described: string;
  readonly isInvalid: boolean;
  change(text: string): void;
}

export function ProfileEditor({ id, field, text, described, isInvalid, change }: ProfileEditorProps) {
  const content = field.content!;
  const { schema } = content;
  const profile = parsed(text === "" ? "{}" : text);
  const faults = profile ? faultsOfJson(field.name, text, content) : [];
  const ignored = profile ? unknownKeys(schema, profile.value) : [];
  return (
    <div class="profile">
      <fieldset class="choices">
        <legend class="visually-hidden">Examples</legend>
        {PROFILE_EXAMPLES.map((example) => (
          <button
            type="button"
            class="chip"
            key={example.title}
            aria-pressed={text === example.text}
            onClick={() => change(example.text)}
          >
            {example.title}
          </button>
        ))}
      </fieldset>
      {profile && (
        <div class="groups-of-settings">
          {groupsOf(schema).map((group) => (
            <Group
              key={group.name}
              {...{ id, group, faults }}
              profile={profile.value}
              set={(path, value) => change(JSON.stringify(withValue(profile.value, path, value), undefined, 2))}
            />
          ))}
        </div>
      )}
      <label for={id}>As JSON</label>
      <textarea
        id={id}
        rows={10}
        spellcheck={false}
        aria-describedby={described}
        aria-invalid={isInvalid}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {ignored.length > 0 && <p class="small">The service does not know {ignored.join(", ")}, and ignores it.</p>}
    </div>
  );
}

interface GroupProps {
  readonly id: string;
  readonly group: SettingGroup;
  readonly profile: unknown;
  readonly faults: readonly ProfileFault[];
  set(path: readonly string[], value: unknown): void;
}

function Group({ id, group: { name, settings }, profile, faults, set }: GroupProps) {
  const count = settings.filter(({ path }) => valueAt(profile, path) !== undefined).length;
  const isWrong = faults.some(({ key }) => key.split(".")[0] === name);
  return (
    <details>
      <summary>
        {labelOf(name)}{" "}
        <span class={isWrong ? "complaint" : "small"}>{isWrong ? "wrong" : count > 0 && `${count} set`}</span>
      </summary>
      <div class="settings">
        {settings.map((setting) => {
          const key = setting.path.join(".");
          return (
            <SettingControl
              key={key}
              id={`${id}-${setting.path.join("-")}`}
              setting={setting}
              value={valueAt(profile, setting.path)}
              complaint={faults.find((fault) => fault.key === key)?.sentence}
              change={(value) => set(setting.path, value)}
            />
          );
        })}
      </div>
    </details>
  );
}

interface SettingControlProps {
  readonly id: string;
  readonly setting: Setting;
  readonly value: unknown;
  readonly complaint: string | undefined;
  change(value: unknown): void;
}

function SettingControl(props: SettingControlProps) {
  const { id, setting, complaint } = props;
  return (
    <div class={`setting ${setting.kind}-setting`}>
      <label for={id}>{titleOf(setting)}</label>
      <SettingInput {...props} />
      {complaint && (
        <p class="complaint" id={`${id}-complaint`}>
          {complaint}
        </p>
      )}
    </div>
  );
}

function SettingInput({ id, setting: { kind, values = [] }, value, complaint, change }: SettingControlProps) {
  const common = { id, ...(complaint ? { "aria-invalid": true, "aria-describedby": `${id}-complaint` } : {}) };
  if (kind === "switch") {
    const isOn = value === true || value === "on";
    return (
      <input
        {...common}
        type="checkbox"
        role="switch"
        class="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={(event) => change(event.currentTarget.checked || undefined)}
      />
    );
  }
  if (kind === "choice") {
    return (
      <select
        {...common}
        value={values.includes(String(value)) ? String(value) : ""}
        onChange={(event) => change(event.currentTarget.value || undefined)}
      >
        <option value="">not set</option>
        {values.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...common}
      inputMode="numeric"
      autocomplete="off"
      value={value === undefined ? "" : String(value)}
      onInput={(event) => change(numberOf(event.currentTarget.value))}
    />
  );
}

/** Converts an entered text to a number if it is numeric; otherwise returns the text unchanged. */
function numberOf(text: string): unknown {
  if (text === "") return undefined;
  return String(Number(text)) === text ? Number(text) : text;
}

/**
 * Returns the label of a setting: `images.color.downsample.target-dpi` becomes `Color, downsample: target dpi`. The
 * group `images` has a title of its own.
 */
function titleOf({ path }: Setting): string {
  const words = path.slice(1).map((name) => name.replaceAll("-", " "));
  return labelOf(words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")}: ${words.at(-1)}`);
}
