import Sequencer from "@jest/test-sequencer";

/** Suites whose tests wait for one another, so that they take long and leave processors to others. */
const LONG = [
  "test/terraform/matrix.test.ts",
  "test/pipelines/github.test.ts",
  "test/cdktf-cli/quickstart.test.ts",
  "test/examples/existing-stack.test.ts",
  "test/cli/drift/repair.test.ts",
  "test/package/empty-project.test.ts",
  "test/package/existing-project.test.ts",
  "test/pipelines/gitlab.test.ts",
];

/** Starts the long suites first: jest goes by sizes of files where it has no times of an earlier run. */
export default class extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const index = LONG.findIndex((suite) => path.endsWith(suite));
      return index < 0 ? LONG.length : index;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
}
