/** Answers of the page in one file to the questions in a file, for the tests that compare them with Python's. */

import { readFileSync } from "node:fs";
import { OfflineConnection } from "../../src/bayou/server/page/logic/offline/offline_connection.js";

const { content, questions } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const connection = new OfflineConnection(content);
const answers = [];
await connection.beliefs("", []);
for (const findings of questions) {
  const begun = performance.now();
  try {
    const beliefs = await connection.beliefs("", findings);
    const milliseconds = performance.now() - begun;
    const { explanations } = await connection.mostProbable("", findings);
    answers.push({ ...beliefs, milliseconds, explanation: explanations[0] });
  } catch (problem) {
    if (!problem.type) throw problem;
    answers.push({ problem: problem.type, release: problem.release });
  }
}
process.stdout.write(JSON.stringify(answers));
