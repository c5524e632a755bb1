// Generates shell completion scripts from the commands of the program.
import type { Command, Option } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export const completionFor = (shell: Shell, program: Command): string => SCRIPTS[shell](program.commands);

type Commands = readonly Command[];

const SCRIPTS: Readonly<Record<Shell, (commands: Commands) => string>> = {
  // If the function adds no words, Bash completes file names, and quotes them if necessary.
  bash: (commands) => `# Completion for bash: eval "$(pagewright completion bash)"
_pagewright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map((command) => command.name()).join(" ")}" -- "$current"))
    return
  fi
  # "--option=value" is three words.
  if [ "$current" = = ]; then current=; elif [ "$previous" = = ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "\${COMP_WORDS[1]} $previous" in
${commands.flatMap((command) => command.options.flatMap((option) => bashChoices(command, option))).join("\n")}
  esac
  case "\${COMP_WORDS[1]} $current" in
${commands.map(bashWords).join("\n")}
  esac
}
complete -o default -F _pagewright pagewright
`,

  zsh: (commands) => `#compdef pagewright
# Completion for zsh: eval "$(pagewright completion zsh)"
_pagewright() {
  local -a commands=(
${commands.map((command) => `    ${quoted(`${command.name()}:${command.description()}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${commands
  .map(
    (command) =>
      `    ${namesOf(command).join("|")}) _arguments ${optionsOf(command).map(zshOption).join(" ")} ${zshOperands(command)} ;;`,
  )
  .join("\n")}
  esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _pagewright pagewright
`,

  fish: (commands) => `# Completion for fish: pagewright completion fish | source
complete -c pagewright -e
${commands
  .flatMap((command) => [
    `complete -c pagewright -f -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
    ...fishOperands(command),
    ...optionsOf(command).map((option) => fishOption(command, option)),
  ])
  .join("\n")}
`,
};

const namesOf = (command: Command) => [command.name(), ...command.aliases()];

/** Returns the options of a command, including `--help`. */
const optionsOf = (command: Command): readonly Option[] => command.createHelp().visibleOptions(command);

const choicesOf = (command: Command) => command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);

const takesFiles = (command: Command) => command.registeredArguments.some((argument) => argument.name() === "files");

/** Reports whether the value of an option is a path. */
const isPath = ({ flags }: Option) => /<(?:file|folder|path)>/.test(flags);

function bashChoices(command: Command, { long, argChoices }: Option): readonly string[] {
  if (!argChoices) return [];
  const patterns = namesOf(command).map((name) => `"${name} ${long}"`);
  return [`    ${patterns.join("|")}) COMPREPLY=($(compgen -W "${argChoices.join(" ")}" -- "$current")); return ;;`];
}

function bashWords(command: Command): string {
  const words = (suffix: string, texts: readonly (string | undefined)[]) =>
    `    ${namesOf(command)
      .map((name) => `"${name} "${suffix}`)
      .join("|")}) COMPREPLY=($(compgen -W "${texts.join(" ")}" -- "$current")) ;;`;
  const flags = optionsOf(command).map(({ long }) => long);
  const choices = choicesOf(command);
  return [words("-*", flags), ...(choices.length > 0 ? [words("*", choices)] : [])].join("\n");
}

function zshOption(option: Option): string {
  const { long, short, description, argChoices, required } = option;
  // In zsh, brackets and colons in a description have a special meaning.
  const about = description.replace(/[[\]:]/g, "\\$&");
  const values = argChoices ? `(${argChoices.join(" ")})` : isPath(option) ? "_files" : " ";
  const value = required ? `:value:${values}` : "";
  const spellings = [...(short ? [short] : []), `${long}${required ? "=" : ""}`];
  return spellings.map((flag) => quoted(`${flag}[${about}]${value}`)).join(" ");
}

function zshOperands(command: Command): string {
  if (takesFiles(command)) return "'*:file:_files'";
  const choices = choicesOf(command);
  return choices.length > 0 ? quoted(`*:value:(${choices.join(" ")})`) : "";
}

const fishWhen = (command: Command) => quoted(`__fish_seen_subcommand_from ${namesOf(command).join(" ")}`);

function fishOption(command: Command, option: Option): string {
  const { long, short, description, argChoices, required } = option;
  const flags = `${short ? `-s ${short.slice(1)} ` : ""}-l ${long!.slice(2)}`;
  const files = isPath(option) ? " -rF" : " -x";
  const value = argChoices ? ` -xa ${quoted(argChoices.join(" "))}` : required ? files : "";
  return `complete -c pagewright -n ${fishWhen(command)} ${flags}${value} -d ${quoted(description)}`;
}

function fishOperands(command: Command): readonly string[] {
  if (takesFiles(command)) return [];
  const choices = choicesOf(command);
  const values = choices.length > 0 ? ` -a ${quoted(choices.join(" "))}` : "";
  return [`complete -c pagewright -f -n ${fishWhen(command)}${values}`];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
