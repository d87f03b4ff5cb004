import { loadPolicy, type Policy, type PolicyError, type PolicyFile } from '@ringfence/policy';
import { Link, useSearch } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { type ReactElement, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { policyTexts } from '../../policy/policy-texts.ts';
import { useRight } from '../../api/use-workspace.ts';
import { Editor } from '../../editor/editor.tsx';
import type { BacktestTurn } from './backtest-turn.ts';
import { InstantBacktest } from './instant-backtest.tsx';
import type { Draft } from './use-draft.ts';

interface PolicyTextProps {
  readonly draft: Draft;
  readonly turn: BacktestTurn;
}

/** Editor of the files, checked while typing by the same compiler that the service uses. */
export function PolicyText({ draft, turn }: PolicyTextProps): ReactElement {
  const { t } = useTranslation();
  const { files, isChanged, changed, revisionOf, change } = draft;
  const texts = useMemo(() => policyTexts(files), [files]);
  const search = useSearch({ from: '/w/$workspace/policy' });
  const mayTry = useRight('write');
  // Chosen once: the open file stays open when its last change is undone.
  const [begunWith] = useState(changed);
  const wanted = search.file ?? begunWith;
  const file = texts.find(({ path }) => path === wanted) ?? texts[0];
  const deferred = useDeferredValue(files);
  const loaded = useMemo(() => loadPolicy(deferred), [deferred]);
  const mistakes = loaded.ok ? loaded.warnings : loaded.errors;
  const names = useMemo(() => (loaded.ok ? ownNames(loaded.policy) : []), [loaded]);
  if (file === undefined) return <p>{t('policy.noVersion')}</p>;
  const check = (text: string): readonly PolicyError[] => {
    const result = loadPolicy(files.map((one) => (one.path === file.path ? { ...one, text } : one)));
    return (result.ok ? result.warnings : result.errors).filter((mistake) => mistake.file === file.path);
  };
  return (
    <div
      className={`grid items-start gap-4 ${mayTry ? 'grid-cols-1 lg:grid-cols-[10rem_minmax(0,1fr)_20rem] 2xl:grid-cols-[13rem_minmax(0,1fr)_26rem]' : 'grid-cols-1 lg:grid-cols-[13rem_minmax(0,1fr)]'}`}
    >
      <FileList files={texts} open={file.path} mistakes={mistakes} />
      <div className="flex h-[calc(100vh-15rem)] min-h-96 flex-col overflow-hidden rounded-lg border border-line bg-card">
        <div className="min-h-0 grow">
          <Editor
            key={`${file.path}:${search.line ?? ''}:${revisionOf(file.path)}`}
            label={t('policy.editorOf', { file: file.path })}
            text={file.text}
            readOnly={!mayTry}
            line={search.line}
            onChange={(text) => change(file.path, text)}
            check={check}
            ownNames={() => names}
          />
        </div>
        <Mistakes mistakes={mistakes} />
      </div>
      {mayTry ? <InstantBacktest files={files} isChanged={isChanged} turn={turn} /> : null}
    </div>
  );
}

function ownNames({ features, models }: Policy): readonly string[] {
  return [...features.map(({ name }) => name), ...models.flatMap(({ paths }) => paths)];
}

interface FileListProps {
  readonly files: readonly PolicyFile[];
  readonly open: string;
  readonly mistakes: readonly PolicyError[];
}

function FileList({ files, open, mistakes }: FileListProps): ReactElement {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('policy.files')} className="flex flex-col gap-0.5">
      {files.map(({ path }) => {
        const errors = mistakes.filter(({ file, severity }) => file === path && severity === 'error').length;
        return (
          <Link
            key={path}
            from="/w/$workspace/policy"
            search={({ line: _line, ...before }) => ({ ...before, file: path })}
            aria-current={path === open ? 'page' : undefined}
            className="flex h-8 items-center gap-2 rounded-md px-2.5 font-mono text-xs hover:bg-sunken aria-[current=page]:bg-fence-wash aria-[current=page]:font-semibold"
          >
            <span className="truncate">{path}</span>
            {errors === 0 ? null : <span className="ml-auto rounded bg-bad-wash px-1.5 text-bad">{errors}</span>}
          </Link>
        );
      })}
    </nav>
  );
}

function Mistakes({ mistakes }: { readonly mistakes: readonly PolicyError[] }): ReactElement {
  const { t } = useTranslation();
  if (mistakes.length === 0) {
    return (
      <p role="status" className="flex items-center gap-2 border-t border-line px-4 py-2 text-sm text-soft">
        <CircleCheck aria-hidden className="size-4 text-fence" />
        {t('policy.checks')}
      </p>
    );
  }
  return (
    <ul
      aria-label={t('policy.mistakes')}
      tabIndex={0}
      className="max-h-40 shrink-0 overflow-y-auto border-t border-line py-1 text-sm"
    >
      {mistakes.map(({ file, line, column, message, suggestion, severity }) => {
        const Sign = severity === 'error' ? CircleAlert : TriangleAlert;
        return (
          <li key={`${file}${line}${column}${message}`}>
            <Link
              from="/w/$workspace/policy"
              search={(before) => ({ ...before, file, line })}
              className="flex items-start gap-2 px-4 py-1 hover:bg-sunken"
            >
              <Sign
                aria-hidden
                className={`mt-0.5 size-4 shrink-0 ${severity === 'error' ? 'text-bad' : 'text-warn'}`}
              />
              <span className="shrink-0 font-mono text-xs leading-5 text-soft">
                {file}:{line}
              </span>
              <span>
                {message} {suggestion === undefined ? null : <span className="text-soft">({suggestion})</span>}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
