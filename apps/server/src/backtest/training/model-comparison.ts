import {
  type ModelArtifact,
  type OperatingPoint,
  operatingPoints,
  rank,
  type Ranking,
  thresholdForAlerts,
} from '@ringfence/models';
import { discrimination, type Discrimination, type Threshold, thresholdOf } from './model-report.ts';

/** Two models on the same events: what each alerts, and what of it is fraud. */
export interface ModelComparison {
  readonly fromMs: number;
  readonly toMs: number;
  readonly days: number;
  /** Before it one of them was trained on these events, which flatters it; absent: neither was, or it is not known. */
  readonly trainedToMs?: number;
  readonly champion: ComparedModel;
  readonly challenger: ComparedModel;
  /** At the threshold of each that leads to the same alerts a day. */
  readonly agreement: readonly Agreement[];
}

export interface ComparedModel extends Discrimination {
  /** Of its artifact. */
  readonly sha256: string;
  readonly curve: readonly (Threshold & OperatingPoint)[];
}

export interface Agreement {
  readonly alertsADay: number;
  readonly both: Counted;
  readonly championOnly: Counted;
  readonly challengerOnly: Counted;
}

export interface Counted {
  readonly events: number;
  readonly frauds: number;
}

/** Events as both models see them, in the order of their labels. */
export interface ComparedRows {
  readonly labels: Uint8Array;
  readonly champion: Float64Array;
  readonly challenger: Float64Array;
}

interface Compared {
  readonly fromMs: number;
  readonly toMs: number;
  readonly days: number;
  readonly champion: KnownModel;
  readonly challenger: KnownModel;
}

export interface KnownModel {
  readonly sha256: string;
  readonly artifact: ModelArtifact;
}

const pointsMax = 120;
const budgets = [10, 20, 40, 100, 200, 500];

export function modelComparison({ labels, ...margins }: ComparedRows, of: Compared): ModelComparison {
  const rankings = {
    champion: rank({ scores: margins.champion, labels }),
    challenger: rank({ scores: margins.challenger, labels }),
  };
  const { fromMs, toMs, days } = of;
  return {
    fromMs,
    toMs,
    days,
    champion: comparedModel(rankings.champion, of.champion),
    challenger: comparedModel(rankings.challenger, of.challenger),
    agreement: budgets.flatMap((alertsADay) => {
      const champion = thresholdForAlerts(rankings.champion, { alertsADay, days })?.threshold;
      const challenger = thresholdForAlerts(rankings.challenger, { alertsADay, days })?.threshold;
      // More alerts than events: both alert everything.
      if (champion === undefined || challenger === undefined || alertsADay * days >= labels.length) return [];
      return [{ alertsADay, ...agreementAt({ labels, ...margins }, { champion, challenger }) }];
    }),
  };
}

function comparedModel(ranking: Ranking, { sha256, artifact }: KnownModel): ComparedModel {
  const curve = operatingPoints(ranking, pointsMax);
  return {
    sha256,
    ...discrimination(ranking),
    curve: curve.map((point) => ({ ...point, ...thresholdOf(artifact, point.threshold) })),
  };
}

function agreementAt(
  { labels, champion, challenger }: ComparedRows,
  at: { readonly champion: number; readonly challenger: number },
): Omit<Agreement, 'alertsADay'> {
  const counts = { both: nothing(), championOnly: nothing(), challengerOnly: nothing() };
  labels.forEach((label, row) => {
    const [old, young] = [champion[row]! >= at.champion, challenger[row]! >= at.challenger];
    if (!old && !young) return;
    const count = counts[old && young ? 'both' : old ? 'championOnly' : 'challengerOnly'];
    count.events += 1;
    count.frauds += label;
  });
  return counts;
}

function nothing(): { events: number; frauds: number } {
  return { events: 0, frauds: 0 };
}
