"""A small valid file of each foreign format and the pieces that its reader knows: seeds to fuzz."""

from __future__ import annotations

BIF = """network "fire; alarm" { property version = 1.0; }
variable Storm { type discrete [ 2 ] { yes, no }; }
variable "Größe, cm" { type discrete [ 3 ] { "a b", <7.5, 12+ }; }
probability ( Storm ) { table 0.25, 0.75; }
probability ( "Größe, cm" | Storm ) { (yes) 0.1 .2 7e-1; default 1, 0, 0; }
"""
XMLBIF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE BIF [ <!ELEMENT BIF (NETWORK)*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
<BIF VERSION="0.3"><NETWORK><NAME>fire &amp; alarm</NAME><!-- note -->
<VARIABLE TYPE="nature"><NAME>Storm</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME>
 <PROPERTY>position = (1, 2)</PROPERTY></VARIABLE>
<VARIABLE TYPE="nature"><NAME>Größe, cm</NAME><OUTCOME>1</OUTCOME><OUTCOME>&lt;7.5</OUTCOME>
 <PROPERTY>bayou_states = int:1 text:%3C7.5</PROPERTY></VARIABLE>
<DEFINITION><FOR>Storm</FOR><TABLE>0.25 7.5e-1</TABLE></DEFINITION>
<DEFINITION><FOR>Größe, cm</FOR><GIVEN>Storm</GIVEN><TABLE>.1 .9 <![CDATA[1 0]]></TABLE></DEFINITION>
</NETWORK></BIF>
"""
NET = """net { node_size = (80 40); HR_Desc = "a"; bayou_appearance = "$7B$22title$22$3A$22T$22$7D"; }
node Storm { label = "storm"; states = ("yes" "no"); position = (1 2); HR_Desc = "a\\nb"; HR_State_0 = "c";
 HR_NodeSize = "(135, 30)"; subtype = number; state_values = (1 0); }
discrete node Size % a comment
{ states = ("a \\"b\\"" "<7.5" "1"); bayou_name = "text:Size"; bayou_ordered = "true"; }
potential (Storm) { data = (10 90); }
potential (Size | Storm) { data = ((0.1 0.2 7e-1) % first
 (1 0 0)); }
"""
XDSL = """<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="fire" numsamples="10"><nodes>
<cpt id="Storm"><state id="yes" /><state id="no" /><probabilities>0.25 0.75</probabilities>
 <property id="bayou_ordered">true</property></cpt>
<deterministic id="Bell"><state id="on" /><state id="off" /><parents>Storm</parents>
 <resultingstates>on off</resultingstates></deterministic>
<noisymax id="Fire"><state id="yes" /><state id="no" /><parents>Storm Bell</parents>
 <strengths>0 1 0 1</strengths><parameters>0.5 0.5 0 1 0.25 0.75 0 1 0 1</parameters></noisymax>
</nodes><extensions><genie version="1.0" name="Fire alarm"><node id="Storm"><name>the storm</name>
<interior color="ff0000" /><font color="000000" name="Arial" size="9" bold="true" />
<position>10 20 110 60</position><comment>a &lt; b</comment></node>
<submodel id="inside"><name>In the house</name><position>1 2 3 4</position><node id="Bell" /></submodel>
<textbox><caption>free</caption><position>1 2 3 4</position></textbox></genie>
<bayou bayou_appearance="%7B%22title%22%3A%22T%22%7D" /></extensions></smile>
"""
DSL = """net fire
{ // made by hand
 HEADER = { ID = fire; NAME = "Fire alarm"; };
 USER_PROPERTIES = { bayou_name = "text:Fire%20alarm"; };
 node Storm { TYPE = CPT; HEADER = { ID = Storm; NAME = "the storm"; }; PARENTS = ();
  DEFINITION = { NAMESTATES = (yes, no); PROBABILITIES = (0.25, 7.5e-1); }; };
 node Bell { TYPE = TRUTHTABLE; PARENTS = (Storm); SCREEN = { POSITION = { CENTER_X = 1; }; COLOR = 5; };
  DEFINITION = { NAMESTATES = (on, off); RESULTINGSTATES = (on, off); }; /* done */ };
};
"""
UAI = """BAYES
2
2 3 # sizes
2
1 0
2 0 1

2
 0.25 0.75
6
 0.1 0.2 7e-1
 1 0 0
# bayou net bayou_name text:fire
# bayou 0 bayou_name text:the%20storm
# bayou 1 bayou_states int:1 truth:True text:1
"""
DNE = """// ~->[DNET-1]->~
// File created by hand
bnet fire {
autoupdate = TRUE;
title = "Fire \\"alarm\\"\\nof a house";
visual V1 { nodefont = font {shape= "Arial"; size= 9;}; NodeSet Nature {BuiltIn = 1; Color = 0x00f8eed2;}; };
node Storm { kind = NATURE; discrete = TRUE; chance = CHANCE; states = (yes, no); statetitles = (, "none");
 parents = (); probs = // yes no
  (0.25, 7.5e-1); comment = "a ( b; // c"; visual V1 { center = (120, 66); height = 1; }; };
node Heat { kind = NATURE; discrete = FALSE; states = (low, high); levels = (0, 10, INFINITY);
 inputs = (, S); parents = (Storm); probs = ((0.1, 0.9), // yes
 (1, 0)); numcases = (5, 6); user U1 { bayou_ordered = "true"; }; };
node Bell { kind = NATURE; discrete = TRUE; chance = DETERMIN; states = (on, off); levels = (1, 0);
 parents = (Storm, Heat); functable = (on, #1, 0, on); };
NodeSet inside {Nodes = (Heat, Bell);};
};
"""
TEXTS = {"BIF": BIF, "XMLBIF": XMLBIF, "Hugin NET": NET, "XDSL": XDSL, "DSL": DSL, "UAI": UAI, "DNE": DNE}

SIGNS = [
    *'{}()[],;|"\\/*-.0=%#$ \n<>&',
    "//",
    "/*",
    "1e999",
    "999999999999",
    "Storm",
    "bayou_states",
    "bayou_name",
]
PIECES = {
    "BIF": ["table", "default", "property", "variable", "probability"],
    "XMLBIF": [
        "<NAME>",
        "</NAME>",
        "<TABLE>",
        "<GIVEN>Storm</GIVEN>",
        "&lol;",
        "<!ENTITY a 'b'>",
        "<!--",
        "]]>",
    ],
    "Hugin NET": [
        "node",
        "potential",
        "states = ",
        "data = ",
        "net",
        "decision",
        "continuous",
        "model_data = ",
    ],
    "XDSL": [
        "<cpt>",
        "<decision id='D'/>",
        "<parents>",
        "</nodes>",
        'id="Storm"',
        "<strengths>",
        "&#0;",
        "&x;",
    ],
    "DSL": ["node", "DEFINITION", "NAMESTATES", "TYPE = ", "CPT", "NOISY_MAX", "PARENTS = (Storm);", "};"],
    "DNE": [
        "node",
        "states = (a, b);",
        "levels = (0, 1, 2);",
        "functable = ",
        "discrete = FALSE;",
        "kind = UTILITY;",
        "NodeSet",
        "bayou_texts",
        "center = (1e999, 2);",
        "equation",
    ],
    "UAI": [
        "BAYES",
        "MARKOV",
        "1",
        "2",
        "-1",
        "0.5",
        "# bayou 0 bayou_states int:1",
        "# bayou 7 bayou_name a",
    ],
}
