import type { PolicyFile } from '@ringfence/policy';
import { useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSpan } from '../../url/use-span.ts';
import { type BacktestTurn, endBacktest, isUnderWay } from './backtest-turn.ts';
import { WatchedBacktest } from './watched-backtest.tsx';

interface BacktestProps {
  readonly files: readonly PolicyFile[];
  readonly turn: BacktestTurn;
}

/** Backtests the draft on the events of the chosen time range, compared with the live policy. */
export function Backtest({ files, turn }: BacktestProps): ReactElement | null {
  const { t } = useTranslation();
  const mayTry = useRight('write');
  if (!mayTry) return null;
  return (
    <>
      <Button onClick={turn.take}>
        <FlaskConical aria-hidden className="size-4" />
        {t('backtest.run')}
      </Button>
      {turn.isTaken ? <BegunBacktest files={files} turn={turn} /> : null}
    </>
  );
}

/** Starts once the automatic backtest has ended, and is cancelled when the dialog closes. */
function BegunBacktest({ files, turn }: BacktestProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const client = useQueryClient();
  const { mutateAsync, data, error } = useDoing('startBacktest');
  const isClosed = useRef(false);
  const begun = useRef<Promise<number | undefined>>(Promise.resolve(undefined));
  const begin = async (): Promise<void> => {
    await turn.left.current;
    if (isClosed.current) return;
    const body = { files, ...span, against: 'live' } as const;
    begun.current = mutateAsync({ params: { workspace }, body }).then(
      ({ id }) => id,
      () => undefined, // the dialog shows why
    );
  };
  const end = async (): Promise<void> => {
    const id = await begun.current;
    if (id !== undefined && isUnderWay(client, workspace, id)) await endBacktest(workspace, id);
  };
  useEffect(() => {
    // Effect cleanups run first, so the page has abandoned its automatic backtest by now.
    void begin();
    return () => {
      isClosed.current = true;
      turn.left.current = Promise.all([turn.left.current, end()]);
    };
    // Keeps its input until it is closed.
  }, []);
  return (
    <Dialog title={t('backtest.title')} wide onClose={turn.giveBack}>
      <div className="max-h-[75vh] overflow-y-auto" tabIndex={0} role="group" aria-label={t('backtest.title')}>
        {error !== null ? (
          <ProblemNote problem={error} onRetry={() => void begin()} />
        ) : data === undefined ? (
          <Loading />
        ) : (
          <WatchedBacktest id={data.id} />
        )}
      </div>
    </Dialog>
  );
}
