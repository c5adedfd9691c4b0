import Sequencer from "@jest/test-sequencer";

/** Suites that take long although they use little processor time. */
const LONG = [
  "test/acceptance/acceptance.test.ts",
  "test/pipelines/github.test.ts",
  "test/cdktf-cli/quickstart.test.ts",
  "test/examples/existing-stack.test.ts",
  "test/cli/drift/repair.test.ts",
  "test/package/empty-project.test.ts",
  "test/package/existing-project.test.ts",
  "test/pipelines/gitlab.test.ts",
  "test/cli/review/comment.test.ts",
  "test/cli/drift/drift.test.ts",
  "test/hooks/delete.test.ts",
];

/** Starts long suites first. Without recorded times, jest would sort by file size. */
export default class extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const index = LONG.findIndex((suite) => path.endsWith(suite));
      return index < 0 ? LONG.length : index;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
}
