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

/** Tries what was written on the events of the chosen time, on the engine that decides live, beside the live policy. */
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

/** Begins as soon as the try beside the text has ended, and ends when nobody looks at it any more. */
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
    // The page has left its own try by now: what an effect left is left before another one begins.
    void begin();
    return () => {
      isClosed.current = true;
      turn.left.current = Promise.all([turn.left.current, end()]);
    };
    // What it began with stands until it is closed.
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
