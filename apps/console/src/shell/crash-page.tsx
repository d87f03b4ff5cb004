import { useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../api/api-problem.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** Error page, for a failed request or a bug of the console. */
export function CrashPage({ error }: { readonly error: unknown }): ReactElement {
  const { t } = useTranslation();
  const router = useRouter();
  const problem =
    error instanceof ApiProblem ? error : new ApiProblem(0, { title: t('state.crashed'), detail: String(error) });
  return (
    <main className="mx-auto flex max-w-xl flex-col gap-4 px-6 py-24">
      <h1 className="text-xl font-semibold">{t('state.crashedTitle')}</h1>
      <ProblemNote problem={problem} />
      <div>
        <Button look="main" onClick={() => void router.invalidate()}>
          {t('state.retry')}
        </Button>
      </div>
    </main>
  );
}
