const nobody = 65_534;

/** Runs `work` as an unprivileged user, because permissions do not restrict root. */
export async function withoutRights<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(nobody);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}
