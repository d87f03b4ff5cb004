/** A login as Freeman's score sees it. */
export interface FreemanLogin {
  readonly user: string;
  readonly address: string;
  readonly asn: string;
  readonly country: string;
  readonly agent: string;
  readonly browser: string;
  readonly os: string;
  readonly deviceType: string;
}

type Column = Exclude<keyof FreemanLogin, 'user'>;

/** A feature with its coarser forms, and the weight of each. The first one is the feature itself. */
interface Feature {
  readonly columns: readonly [Column, ...Column[]];
  readonly weights: readonly number[];
}

/** The weights that Wiefling et al. found for their large online service. */
const features: readonly Feature[] = [
  { columns: ['address', 'asn', 'country'], weights: [0.6, 0.3, 0.1] },
  {
    columns: ['agent', 'browser', 'os', 'deviceType'],
    weights: [0.5386653840551359, 0.2680451498625666, 0.18818295100109536, 0.0051065150812021525],
  },
];

/** A likelihood of 0 is replaced by this share of everybody's: a value that the user never showed. */
const neverShown = 1 / 4;

/** How often each value of each column was shown. */
class Counts {
  readonly #counts = new Map<Column, Map<string, number>>();
  logins = 0;

  of(column: Column, value: string): number {
    return this.#counts.get(column)?.get(value) ?? 0;
  }

  valuesOf(column: Column): number {
    return this.#counts.get(column)?.size ?? 0;
  }

  learn(login: FreemanLogin): void {
    this.logins++;
    for (const column of features.flatMap(({ columns }) => columns)) {
      let counts = this.#counts.get(column);
      if (counts === undefined) this.#counts.set(column, (counts = new Map()));
      counts.set(login[column], (counts.get(login[column]) ?? 0) + 1);
    }
  }
}

/**
 * The risk score of Freeman et al.: for each feature, how likely everybody shows its value relative to how likely the
 * user does; values that were never shown are smoothed. It equals the implementation by Wiefling et al., which is the
 * published one that others compare with. Higher is riskier.
 *
 * Source: Freeman et al., Who Are You?, NDSS 2016, equation 7 without data of attacks; Wiefling et al., Pump Up Password
 * Security!, ACM TOPS 2022, https://github.com/das-group/rba-algorithm
 */
export class Freeman {
  readonly #everybody = new Counts();
  readonly #users = new Map<string, Counts>();
  /** The coarser values that were seen with a value of a feature, by both columns and that value. */
  readonly #seenWith = new Map<string, Set<string>>();

  /** `undefined` for the first login of a user. Costs a few look-ups. */
  score(login: FreemanLogin): number | undefined {
    const user = this.#users.get(login.user);
    if (user === undefined) return undefined;
    let score = 1;
    for (const feature of features) {
      const everybody = this.#likelihoodOf(feature, login);
      const own = weighted(feature, (column) => user.of(column, login[column]) / user.logins);
      score *= everybody / (own === 0 ? everybody * neverShown : own);
    }
    const { logins } = this.#everybody;
    return score * (1 / this.#users.size / (user.logins / logins));
  }

  /** Adds a login to the history of its user and of everybody. */
  learn(login: FreemanLogin): void {
    let user = this.#users.get(login.user);
    if (user === undefined) this.#users.set(login.user, (user = new Counts()));
    user.learn(login);
    this.#everybody.learn(login);
    for (const { columns } of features) {
      const [finest, ...coarser] = columns;
      for (const column of coarser) {
        const key = `${column} ${login[finest]}`;
        let seen = this.#seenWith.get(key);
        if (seen === undefined) this.#seenWith.set(key, (seen = new Set()));
        seen.add(login[column]);
      }
    }
  }

  /** Only the feature itself is smoothed; its coarser forms are plain shares. */
  #likelihoodOf(feature: Feature, login: FreemanLogin): number {
    const { logins } = this.#everybody;
    const [finest, ...coarser] = feature.columns;
    return weighted(feature, (column) => {
      const shown = this.#everybody.of(column, login[column]);
      if (column !== finest) return shown / logins;
      const unseen = 1 + sum(coarser, (other) => this.#everybody.valuesOf(other));
      const unseenHere = 1 + sum(coarser, (other) => this.#seenWith.get(`${other} ${login[finest]}`)?.size ?? 0);
      // As the published code smooths: the factor in front belongs to the logins with this value.
      const here = shown > 0 ? shown / (shown + unseenHere) : 1 / unseenHere;
      return here * (shown > 0 ? (shown / logins) * (1 - unseen / (logins + unseen)) : 1 / (logins + unseen));
    });
  }
}

function weighted({ columns, weights }: Feature, likelihood: (column: Column) => number): number {
  return columns.reduce((total, column, at) => total + (weights[at] ?? 0) * likelihood(column), 0);
}

function sum(columns: readonly Column[], valueOf: (column: Column) => number): number {
  return columns.reduce((total, column) => total + valueOf(column), 0);
}
