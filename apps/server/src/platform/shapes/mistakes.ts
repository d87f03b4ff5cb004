/** One error and its location: a file with line and column (from 1), or an environment variable or option. */
export interface ConfigurationMistake {
  readonly where: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly message: string;
}

/** `ringfence.yaml:12:7: message`: the form that editors and terminals turn into a link. */
function mistakeLine(mistake: ConfigurationMistake): string {
  const at = mistake.line === undefined ? '' : `:${mistake.line}:${mistake.column ?? 1}`;
  return `${mistake.where}${at}: ${mistake.message}`;
}

/** The configuration is wrong. Contains all errors, in the order of the file. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly mistakes: readonly ConfigurationMistake[];

  /** The subject of the message: `The configuration`. */
  readonly what: string;

  constructor(mistakes: readonly ConfigurationMistake[], what = 'The configuration') {
    super(mistakes.map(mistakeLine).join('\n'));
    this.mistakes = mistakes;
    this.what = what;
  }
}
