//! The tests of a suite, with everything they inherit.

use crate::model::{Agent, AgentGates, AgentSetup, Assertion, Runs, Suite, Test, TestType};

/// An agent test, ready to run or score.
#[derive(Debug, Clone)]
pub struct AgentTest {
    /// Its name.
    pub name: String,
    /// How it runs, inherited values filled in.
    pub setup: AgentSetup,
    /// Checked on every run.
    pub expect: Vec<Assertion>,
    /// Folded over all runs.
    pub gates: AgentGates,
}

impl AgentTest {
    /// The models of the matrix, in the order written; none where a suite leaves them out.
    pub fn models(&self) -> Vec<&str> {
        match (&self.setup.models, &self.setup.model) {
            (Some(models), _) => models.iter().map(String::as_str).collect(),
            (None, Some(model)) => vec![model],
            (None, None) => Vec::new(),
        }
    }

    /// The number of runs asked for in each cell.
    pub fn runs(&self) -> u32 {
        self.setup.runs.map_or(1, Runs::asked)
    }

    /// Whether anything is asserted at all.
    pub fn judges(&self) -> bool {
        !self.expect.is_empty() || self.gates.any()
    }

    /// The counts of a distractor sweep; none where there is no sweep.
    pub fn sweep(&self) -> Option<&[u32]> {
        self.gates
            .distractors
            .as_ref()
            .filter(|block| block.count.is_sweep())
            .map(|block| block.count.counts())
    }
}

impl Suite {
    /// All agent tests: agents with a prompt (or, for `score`, with gates), then `tests:`.
    pub fn agent_tests(&self) -> Vec<AgentTest> {
        let own = self.agents.iter().filter(|agent| self.is_test(agent)).map(|agent| AgentTest {
            name: agent.name.clone(),
            setup: agent.setup.clone(),
            expect: agent.expect.clone().unwrap_or_default(),
            gates: agent.gates.clone(),
        });
        let tests = self
            .tests
            .iter()
            .filter(|test| test.kind == TestType::Agent)
            .map(|test| self.resolve(test));
        own.chain(tests).collect()
    }

    /// The tool tests.
    pub fn tool_tests(&self) -> impl Iterator<Item = &Test> {
        self.tests.iter().filter(|test| test.kind == TestType::Tool)
    }

    /// With a prompt a test of its own; without one a definition, unless nobody refers to it and it
    /// has something to judge by: `score` needs only that.
    fn is_test(&self, agent: &Agent) -> bool {
        let referred =
            self.tests.iter().any(|test| test.agent.as_deref() == Some(agent.name.as_str()));
        agent.setup.prompt.is_some() || (!referred && (agent.expect.is_some() || agent.gates.any()))
    }

    fn resolve(&self, test: &Test) -> AgentTest {
        let base = test
            .agent
            .as_ref()
            .and_then(|name| self.agents.iter().find(|agent| agent.name == *name));
        AgentTest {
            name: test.name.clone(),
            setup: base
                .map_or_else(|| test.setup.clone(), |base| inherit(&base.setup, &test.setup)),
            expect: test.expect.clone().unwrap_or_default(),
            gates: test.gates.clone(),
        }
    }
}

/// What the test sets replaces; the rest is the agent's.
fn inherit(base: &AgentSetup, own: &AgentSetup) -> AgentSetup {
    let own = own.clone();
    // A test that names its model, models or command replaces all three.
    let names_agent = own.model.is_some() || own.models.is_some() || own.command.is_some();
    let (model, models, command) = if names_agent {
        (own.model, own.models, own.command)
    } else {
        (base.model.clone(), base.models.clone(), base.command.clone())
    };
    AgentSetup {
        model,
        models,
        command,
        servers: own.servers.or_else(|| base.servers.clone()),
        runs: own.runs.or(base.runs),
        prompt: own.prompt.or_else(|| base.prompt.clone()),
        system_prompt: own.system_prompt.or_else(|| base.system_prompt.clone()),
        params: own.params.or_else(|| base.params.clone()),
        max_turns: own.max_turns.or(base.max_turns),
        max_tool_calls: own.max_tool_calls.or(base.max_tool_calls),
        token_budget: own.token_budget.or(base.token_budget),
        time_budget: own.time_budget.or_else(|| base.time_budget.clone()),
        inject: own.inject.or_else(|| base.inject.clone()),
        discovery: own.discovery.or(base.discovery),
    }
}
