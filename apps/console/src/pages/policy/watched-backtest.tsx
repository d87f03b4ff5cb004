import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Backtest } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { BacktestOutcome } from './backtest-outcome.tsx';
import { Threshold } from './threshold.tsx';

const everyMs = 500;

interface WatchedBacktestProps {
  readonly id: number;
  readonly isNarrow?: boolean;
  /** Writes a value of the varied parameter into the draft. */
  readonly onUse?: (param: string, value: string) => void;
}

/** A backtest, read again while it runs. */
export function useBacktest(id: number) {
  const workspace = useWorkspaceName();
  return useQuery({
    ...asking('readBacktest', { params: { workspace, backtest: id } }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'running' ? everyMs : false),
  });
}

interface BacktestProgressProps {
  readonly label: string;
  readonly of: Pick<Backtest, 'state' | 'done' | 'total' | 'error'>;
}

/** How far a backtest is, or why it has no result. */
export function BacktestProgress({ label, of }: BacktestProgressProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { state, done, total, error } = of;
  if (state !== 'running') return <p className="text-sm text-bad">{error ?? t(`backtest.state.${state}`)}</p>;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <ProgressBar label={label} done={done} total={total} isWide />
      <p className="text-soft" role="status">
        {t('backtest.progress', { done: formats.number(done), total: formats.number(total) })}
      </p>
    </div>
  );
}

/** A started backtest: its progress, then its result. */
export function WatchedBacktest({ id, isNarrow = false, onUse }: WatchedBacktestProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Asked of={useBacktest(id)}>
      {(backtest) => {
        const { result } = backtest;
        if (result === undefined) return <BacktestProgress label={t('backtest.title')} of={backtest} />;
        return (
          <div className="flex flex-col gap-4 text-sm">
            {result.varied === undefined ? null : <Threshold varied={result.varied} onUse={onUse} />}
            <BacktestOutcome id={id} result={result} isNarrow={isNarrow} />
          </div>
        );
      }}
    </Asked>
  );
}
