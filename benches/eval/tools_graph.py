#!/usr/bin/env python3
"""Compares what `ken bench tools --graph` says of 20 random graphs with networkx.

    pip install networkx numpy scipy
    python3 benches/eval/tools_graph.py [KEN]

PageRank and Adamic-Adar must agree to 1e-6. Communities are compared by modularity: the value that `ken` gives is
computed again, and must not be lower than that of networkx's method of Louvain, the best of five seeds, by more than
0.02. Both are heuristics, and depend on the order of the nodes.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import networkx as nx


def graph_of(seed):
    draw = random.Random(seed)
    nodes = draw.randint(20, 120)
    kind = seed % 4
    if kind == 0:
        graph = nx.gnp_random_graph(nodes, draw.uniform(0.03, 0.2), seed=seed)
    elif kind == 1:
        graph = nx.barabasi_albert_graph(nodes, 3, seed=seed)
    elif kind == 2:
        graph = nx.planted_partition_graph(5, nodes // 5, 0.4, 0.02, seed=seed)
    else:
        graph = nx.watts_strogatz_graph(nodes, 4, 0.2, seed=seed)
    for _, _, data in graph.edges(data=True):
        data["weight"] = draw.randint(1, 9)
    # Nodes are numbered up to the last one with an edge.
    last = max((max(edge) for edge in graph.edges), default=-1)
    graph.remove_nodes_from([node for node in graph if node > last])
    return graph


def said(ken, graph):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.jsonl"
        lines = (json.dumps({"a": a, "b": b, "weight": d["weight"]}) for a, b, d in graph.edges(data=True))
        path.write_text("\n".join(lines) + "\n")
        out = subprocess.run([ken, "bench", "tools", "--graph", str(path)], check=True, capture_output=True)
        return json.loads(out.stdout)["graph"]


def main():
    ken = sys.argv[1] if len(sys.argv) > 1 else "ken"
    worst = {"page_rank": 0.0, "adamic_adar": 0.0, "modularity": 0.0, "behind": -1.0}
    for seed in range(20):
        graph = graph_of(seed)
        found = said(ken, graph)
        ranks = nx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=10_000, weight="weight")
        worst["page_rank"] = max(worst["page_rank"], *(abs(ranks[n] - found["page_rank"][n]) for n in graph))
        ours = {(a, b): value for a, b, value in found["adamic_adar"]}
        pairs = [(a, b) for a in graph for b in graph if a < b]
        for a, b, value in nx.adamic_adar_index(graph, pairs):
            worst["adamic_adar"] = max(worst["adamic_adar"], abs(value - ours.get((a, b), 0.0)))
        groups = {}
        for node in graph:
            groups.setdefault(found["communities"][node], set()).add(node)
        again = nx.community.modularity(graph, groups.values(), weight="weight")
        worst["modularity"] = max(worst["modularity"], abs(again - found["modularity"]))
        tried = (nx.community.louvain_communities(graph, weight="weight", seed=s) for s in range(5))
        theirs = max(nx.community.modularity(graph, groups, weight="weight") for groups in tried)
        worst["behind"] = max(worst["behind"], theirs - again)
        print(f"{seed:2} {len(graph):4} nodes {graph.size():5} edges  modularity {again:.4f}, networkx {theirs:.4f}")
    print(json.dumps(worst))
    exact = all(worst[name] <= 1e-6 for name in ("page_rank", "adamic_adar", "modularity"))
    sys.exit(0 if exact and worst["behind"] <= 0.02 else 1)


if __name__ == "__main__":
    main()
