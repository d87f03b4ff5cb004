import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyTestReport } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

interface TestRowProps {
  readonly test: PolicyTestReport;
  /** Called when the test is opened in the text: the dialog closes. */
  readonly onOpen?: () => void;
  /** It is not in the text that the page can open: another version's. */
  readonly isElsewhere?: boolean;
}

/** The result of a policy test: its differences and its position. */
export function TestRow({ test, onOpen, isElsewhere = false }: TestRowProps): ReactElement {
  const { t } = useTranslation();
  const { name, file, line, passed, differences, fired } = test;
  const Sign = passed ? CircleCheck : CircleX;
  return (
    <li className="flex items-start gap-3 px-4 py-2.5">
      <Sign
        role="img"
        aria-label={t(passed ? 'policyTests.itPassed' : 'policyTests.itFailed')}
        className={`mt-0.5 size-4 shrink-0 ${passed ? 'text-fence' : 'text-bad'}`}
      />
      <div className="min-w-0 grow">
        <p className="font-medium">{name}</p>
        {differences.map((difference) => (
          <p key={difference} className="text-bad">
            {difference}
          </p>
        ))}
        {isElsewhere ? (
          <span className="font-mono text-xs text-soft">
            {file}:{line}
          </span>
        ) : (
          <Link
            from="/w/$workspace/policy"
            search={(before) => ({ ...before, tab: 'text' as const, file, line })}
            {...(onOpen === undefined ? {} : { onClick: onOpen })}
            className="font-mono text-xs text-soft hover:text-fence hover:underline"
          >
            {file}:{line}
          </Link>
        )}
      </div>
      <span className="flex max-w-[40%] flex-wrap justify-end gap-1">
        {fired.map((reason) => (
          <Badge key={reason}>{reason}</Badge>
        ))}
      </span>
    </li>
  );
}
