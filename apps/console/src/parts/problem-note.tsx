import { Lock, RotateCcw, ServerOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../format/use-formats.ts';
import { problemTitles } from '../language/es/problem-titles.ts';
import type { ApiProblem } from '../api/api-problem.ts';
import { Button } from './button.tsx';
import { RequestId } from './request-id.tsx';

interface ProblemNoteProps {
  readonly problem: ApiProblem;
  readonly onRetry?: () => void;
}

/** What went wrong, in the service's own words, and what can be done about it. */
export function ProblemNote({ problem, onRetry }: ProblemNoteProps): ReactElement {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const code = problem.status === 0 ? 'service.unreachable' : problem.code;
  const title = (i18n.language === 'es' ? problemTitles[code] : undefined) ?? problem.title;
  const forbidden = problem.code === 'right.missing';
  const Sign = forbidden ? Lock : ServerOff;
  return (
    <div role="alert" className="flex items-start gap-3 rounded-md border border-line bg-bad-wash px-4 py-3">
      <Sign aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 text-sm">
        <p className="font-medium">{forbidden ? t('state.forbidden') : title}</p>
        {/* The same as the errors, in one sentence. */}
        {problem.detail === '' || problem.errors.length > 0 ? null : (
          <p className="text-soft">{formats.sentence(problem.detail)}</p>
        )}
        {problem.errors.map(({ pointer, detail, expected }) => (
          <p key={`${pointer}${detail}`} className="text-soft">
            {/* A mistake in a policy says its file and line, and what was expected. */}
            {problem.code === 'policy.invalid' ? null : <code className="font-mono text-xs">{pointer}</code>} {detail}{' '}
            {problem.code === 'policy.invalid' ? null : expected}
          </p>
        ))}
        <RequestId of={problem.requestId} />
      </div>
      {onRetry === undefined || forbidden || problem.status === 404 ? null : (
        <Button small className="ml-auto" onClick={onRetry}>
          <RotateCcw aria-hidden className="size-3.5" />
          {t('state.retry')}
        </Button>
      )}
    </div>
  );
}
