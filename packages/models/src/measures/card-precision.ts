/** Scored payments of some days. */
export interface ScoredPayments {
  readonly scores: ArrayLike<number>;
  /** 1 for fraud. */
  readonly labels: ArrayLike<number>;
  readonly clients: ArrayLike<number>;
  readonly days: ArrayLike<number>;
}

export interface CardPrecision {
  readonly mean: number;
  readonly byDay: readonly { readonly day: number; readonly found: number; readonly precision: number }[];
}

/**
 * Card precision top K: each day the K clients with the highest score are examined, and the share of them who had a
 * fraud that day is the precision. A client who was found is left out on the days after. Of equal scores the client
 * with the lower number comes first. Undefined without payments.
 *
 * Source: Fraud Detection Handbook, chapter 4, "Precision top-k metrics".
 */
export function cardPrecision(payments: ScoredPayments, clientsADay: number): CardPrecision | undefined {
  const known = new Set<number>();
  const byDay = [...clientsByDay(payments)]
    .sort(([a], [b]) => a - b)
    .map(([day, clients]) => {
      const suspects = [...clients].filter(([client]) => !known.has(client));
      suspects.sort(([a, { score: high }], [b, { score: low }]) => low - high || a - b);
      const found = suspects.slice(0, clientsADay).filter(([, { fraud }]) => fraud);
      for (const [client] of found) known.add(client);
      return { day, found: found.length, precision: found.length / clientsADay };
    });
  if (byDay.length === 0) return undefined;
  return { mean: byDay.reduce((sum, { precision }) => sum + precision, 0) / byDay.length, byDay };
}

/** For each day each client's highest score, and whether any payment was fraud. */
function clientsByDay({ scores, labels, clients, days }: ScoredPayments): Map<number, Map<number, Suspect>> {
  const all = new Map<number, Map<number, Suspect>>();
  for (let row = 0; row < scores.length; row++) {
    const day = all.get(days[row]!) ?? new Map<number, Suspect>();
    all.set(days[row]!, day);
    const suspect = day.get(clients[row]!) ?? { score: -Infinity, fraud: false };
    suspect.score = Math.max(suspect.score, scores[row]!);
    suspect.fraud ||= labels[row] === 1;
    day.set(clients[row]!, suspect);
  }
  return all;
}

interface Suspect {
  score: number;
  fraud: boolean;
}
