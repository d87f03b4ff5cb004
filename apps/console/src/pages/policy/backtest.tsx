import { type PolicyFile, writeParam } from '@ringfence/policy';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/loading.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSpan } from '../../url/use-span.ts';
import { BacktestOptions, type BacktestWish, firstWish } from './backtest-options.tsx';
import { type BacktestTurn, endBacktest, isUnderWay } from './backtest-turn.ts';
import { WatchedBacktest } from './watched-backtest.tsx';

interface BacktestProps {
  readonly files: readonly PolicyFile[];
  readonly turn: BacktestTurn;
  /** Changes a file of the draft. */
  readonly onChange: (path: string, text: string) => void;
}

/** Backtests the draft on past events, compared with the live policy. */
export function Backtest({ files, turn, onChange }: BacktestProps): ReactElement | null {
  const { t } = useTranslation();
  const mayTry = useRight('write');
  if (!mayTry) return null;
  return (
    <>
      <Button onClick={turn.take}>
        <FlaskConical aria-hidden className="size-4" />
        {t('backtest.run')}
      </Button>
      {turn.isTaken ? <BacktestDialog files={files} turn={turn} onChange={onChange} /> : null}
    </>
  );
}

/** Starts with the usual options at once; other options start another one. */
function BacktestDialog({ files, turn, onChange }: BacktestProps): ReactElement {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/w/$workspace/policy' });
  const [run, setRun] = useState({ number: 1, wish: firstWish });
  // Keeps its input until it is closed.
  const [tried] = useState(files);
  const use = (param: string, value: string): void => {
    const written = writeParam(files, param, value);
    if (written === undefined) return;
    const before = files.find(({ path }) => path === written.path)?.text ?? '';
    onChange(written.path, written.text);
    turn.giveBack();
    const line = changedLine(before, written.text);
    void navigate({ search: (search) => ({ ...search, tab: 'text', file: written.path, line }) });
  };
  return (
    <Dialog title={t('backtest.title')} wide onClose={turn.giveBack}>
      <div className="max-h-[75vh] overflow-y-auto" tabIndex={0} role="group" aria-label={t('backtest.title')}>
        <BacktestOptions
          files={tried}
          wish={run.wish}
          onRun={(wish) => setRun(({ number }) => ({ number: number + 1, wish }))}
        />
        <BegunBacktest key={run.number} files={tried} turn={turn} wish={run.wish} onUse={use} />
      </div>
    </Dialog>
  );
}

/** The first line that differs, from 1. */
function changedLine(before: string, after: string): number {
  const lines = before.split('\n');
  return after.split('\n').findIndex((line, at) => line !== lines[at]) + 1;
}

interface BegunBacktestProps extends Pick<BacktestProps, 'files' | 'turn'> {
  readonly wish: BacktestWish;
  readonly onUse: (param: string, value: string) => void;
}

/** Starts once the one before has ended, and is cancelled when it is left. */
function BegunBacktest({ files, turn, wish, onUse }: BegunBacktestProps): ReactElement {
  const workspace = useWorkspaceName();
  const span = useSpan();
  const client = useQueryClient();
  const { mutateAsync, data, error } = useDoing('startBacktest');
  const isClosed = useRef(false);
  const begun = useRef<Promise<number | undefined>>(Promise.resolve(undefined));
  const begin = async (): Promise<void> => {
    await turn.left.current;
    if (isClosed.current) return;
    const { history, isAsLive, vary } = wish;
    const body = {
      files,
      // A history lies outside of the time range of the page.
      ...(history === undefined ? span : { history }),
      ...(vary === undefined ? {} : { vary }),
      against: 'live',
      asLive: isAsLive ? 'new' : 'none',
    } as const;
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
  if (error !== null) return <ProblemNote problem={error} onRetry={() => void begin()} />;
  return data === undefined ? <Loading /> : <WatchedBacktest id={data.id} onUse={onUse} />;
}
